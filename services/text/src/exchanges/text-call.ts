import {
  wires,
  type ClientOnlyWire,
  type ClientWireName,
  type JsonObject,
  type TextVendor,
} from "@modelgate/wires/text";
import { Failure } from "@modelgate/contracts";
import {
  eventStream,
  parseAnswer,
  taskReader,
  type AnswerReader,
  type StreamTranslator,
  type PendingStream,
  type UpstreamHead,
  type CompleteAnswer,
} from "@modelgate/relay";
import { isStreamStart, type StreamForm } from "@modelgate/formats/sse";

/** A text call in the client's wire. */
export interface TextCall {
  readonly wire: ClientWireName;
  readonly body: Buffer;
  /** Name of the model in the client's request. */
  readonly model: string;
  readonly stream: boolean;
  /** True if the client requested a usage report at the end of the stream. */
  readonly includeUsage: boolean;
  /** True if the client requested the cost in the usage report. */
  readonly showsCost?: boolean | undefined;
  /** Number of answers that the client requested. */
  readonly choices: number;
  /** Names of the body's fields that limit the output. */
  readonly outputLimitNames: readonly string[];
  /** Names of the body's fields that only some vendors of the wire understand. */
  readonly foreignNames?: readonly string[] | undefined;
  /** True if a file of the body is not in a form that vendors of the wire accept. */
  readonly hasPlainFiles?: boolean | undefined;
  /** True if the client prefers a refusal to the loss of an optional field. */
  readonly refusesUnsupported: boolean;
  /** True if a stream of the Gemini wire is one JSON array (requested without `alt=sse`). */
  readonly asArray?: boolean | undefined;
  /** Output limit for vendors that require one, if the client set none. */
  readonly defaultMaxTokens: number;
  /** Output limit per answer, if the caller's money covers no more. */
  readonly paidOutputTokens?: number | undefined;
  readonly answerId: string;
  /** Names of the client's headers that only vendors of the client's wire receive. */
  readonly ownHeaders?: readonly string[] | undefined;
  /** Fields that the gateway sets in the answer, for example `previous_interaction_id`. */
  readonly echo?: JsonObject | undefined;
  /** Estimated input tokens, for wires that report them at the start of a stream. */
  readonly inputTokens: number;
}

/** Returns the content type, the heartbeat and the form of a failure for a stream that has not begun. */
export function pendingStreamOf({ wire, asArray = false }: Pick<TextCall, "wire" | "asArray">): PendingStream {
  const { client }: ClientOnlyWire = wires[wire];
  const frame = (failure: Failure, requestId: string): string => client.failureFrame(failure, requestId);
  const framing = asArray ? client.array?.framing() : undefined;
  if (framing === undefined)
    return { contentType: client.streamType ?? eventStream, heartbeat: client.keepAlive, fail: frame };
  const fail = (failure: Failure, requestId: string): string =>
    framing.reframe(Buffer.from(frame(failure, requestId))) + framing.end();
  return { contentType: framing.contentType, heartbeat: framing.heartbeat(), fail };
}

/** Returns the function that selects the reader of an answer: complete, polled, or a stream. */
export function textReader(
  { stream }: { readonly stream: boolean },
  upstream: StreamForm & { readonly vendor?: Pick<TextVendor, "run" | "taskOf"> },
  options: {
    whole(bytes: Buffer): Promise<CompleteAnswer>;
    readonly translator: (options: { readonly mayBeCut: boolean }) => StreamTranslator;
  },
): (head: UpstreamHead) => AnswerReader {
  const { framing, vendor } = upstream;
  return (head) => {
    if (!stream && vendor?.taskOf !== undefined) {
      const { run, taskOf } = vendor;
      return taskReader({
        taskIn: async (bytes) => taskOf(await parseAnswer(bytes)),
        read: (bytes) => options.whole(bytes),
        usageIn: ({ usage }) => usage,
        finish: (answer) => Promise.resolve(answer),
        usageOf: run?.().usageOf,
        waitMs: maxTaskMs,
      });
    }
    if (!stream) return { kind: "complete", read: (bytes) => options.whole(bytes) };
    if (!String(head.headers["content-type"] ?? "").includes(framing.mediaType))
      throw new Failure("upstream_error", "The vendor did not answer with a stream.");
    return {
      kind: "stream",
      framing,
      isFirstFrame: (first) => isStreamStart(upstream, first),
      translator: options.translator,
    };
  };
}

/** Maximum ms until a polled answer has finished. Research agents may take up to an hour. */
export const maxTaskMs = 3_600_000;
