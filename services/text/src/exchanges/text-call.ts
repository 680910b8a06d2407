import { wires, type ClientOnlyWire, type ClientWire, type JsonObject, type TextVendor } from "@modelgate/wires/text";
import type { Failure } from "@modelgate/contracts";
import {
  eventStream,
  finishTask,
  parseAnswer,
  requireStreamOf,
  type AnswerReader,
  type StreamTranslator,
  type StreamWaiting,
  type TaskReader,
  type UpstreamHead,
  type WholeAnswer,
} from "@modelgate/relay";
import { beginsIn, type StreamForm } from "@modelgate/wires/sse";

/** A text call in its client's wire. */
export interface TextCall {
  readonly wire: ClientWire;
  /** The client's body, untouched. */
  readonly body: Buffer;
  /** The client's name of the model. */
  readonly model: string;
  readonly stream: boolean;
  /** True where the client requested usage at a stream's end. */
  readonly includeUsage: boolean;
  /** True where the client wants the cost in its answer's usage. */
  readonly showsCost?: boolean | undefined;
  /** Number of answers (choices) that the client requested. */
  readonly choices: number;
  /** Body fields that bound the output. */
  readonly boundNames: readonly string[];
  /** Body fields that other vendors of the wire understand. */
  readonly foreignNames?: readonly string[] | undefined;
  /** True where the client prefers a refusal to a dropped optional field. */
  readonly strict: boolean;
  /** True where a stream of generated content is one JSON array (no `alt=sse`). */
  readonly asArray?: boolean | undefined;
  /** Output tokens to request where a vendor's wire requires a bound and the client gave none. */
  readonly defaultMaxTokens: number;
  /** Maximum output tokens of each answer that can be paid for, where the client set no bound. */
  readonly paidOutputTokens?: number | undefined;
  readonly answerId: string;
  /**
   * Names of the client's headers that are sent only to vendors of the client's wire; for other vendors they are
   * reported as dropped.
   */
  readonly ownHeaders?: readonly string[] | undefined;
  /** Fields that the answer repeats with other values than the body has. */
  readonly echo?: JsonObject | undefined;
  /** Input tokens counted by the gateway, for wires that report them at the start of a stream. */
  readonly inputTokens: number;
}

/** Returns the signs of life, and the form of a failure, for a client whose stream has not begun. */
export function waitingIn({ wire, asArray = false }: Pick<TextCall, "wire" | "asArray">): StreamWaiting {
  const { client }: ClientOnlyWire = wires[wire];
  const frame = (failure: Failure, requestId: string): string => client.failureFrame(failure, requestId);
  const framing = asArray ? client.array?.framing() : undefined;
  if (framing === undefined)
    return { contentType: client.streamType ?? eventStream, sign: client.keepAlive, fail: frame };
  const fail = (failure: Failure, requestId: string): string =>
    framing.reframe(Buffer.from(frame(failure, requestId))) + framing.end();
  return { contentType: framing.contentType, sign: framing.heartbeat(), fail };
}

/** Reads answers in the form that the call requested: complete, or as a stream in the framing of the vendor's wire. */
export function textReader(
  { stream }: { readonly stream: boolean },
  upstream: StreamForm & { readonly vendor?: Pick<TextVendor, "taskOf"> },
  how: {
    whole(bytes: Buffer): Promise<WholeAnswer>;
    readonly translator: (how: { readonly mayBeCut: boolean }) => StreamTranslator;
  },
): (head: UpstreamHead) => AnswerReader {
  const { framing, vendor } = upstream;
  return (head) => {
    if (!stream && vendor?.taskOf !== undefined) return polledReader(vendor.taskOf, (bytes) => how.whole(bytes));
    if (!stream) return { kind: "whole", read: (bytes) => how.whole(bytes) };
    requireStreamOf(framing, head);
    return {
      kind: "stream",
      framing,
      begins: (first) => beginsIn(upstream, first),
      translator: how.translator,
    };
  };
}

/** Maximum time, in ms, until an answer that is polled has finished: agents do research for up to an hour. */
const maxTaskMs = 3_600_000;

/** Reads an answer that the vendor may still be making; such an answer is polled until it has finished. */
function polledReader(
  taskOf: NonNullable<TextVendor["taskOf"]>,
  whole: (bytes: Buffer) => Promise<WholeAnswer>,
): TaskReader {
  const taskIn = async (bytes: Buffer): Promise<string | undefined> => taskOf(await parseAnswer(bytes));
  const finished = async (bytes: Buffer) => ((await taskIn(bytes)) === undefined ? await whole(bytes) : undefined);
  return {
    kind: "task",
    async read(bytes) {
      const task = await taskIn(bytes);
      if (task !== undefined) return { finish: (vendor) => finishTask(task, vendor, finished, maxTaskMs) };
      const answer = await whole(bytes);
      return { usage: answer.usage, finish: () => Promise.resolve(answer) };
    },
  };
}
