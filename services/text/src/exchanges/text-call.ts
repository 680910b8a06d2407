import { textWires, type ClientOnlyWire, type ClientWire, type JsonObject } from "@modelgate/wires/text";
import type { Failure } from "@modelgate/contracts";
import { eventStream, type StreamWaiting } from "@modelgate/relay";

/** A text call as its client made it. */
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
  /** The members of the body that bound its output. */
  readonly boundNames: readonly string[];
  /** Members of the body that other vendors of its wire understand. */
  readonly foreignNames?: readonly string[] | undefined;
  /** True where the client wants a refusal rather than a dropped hint. */
  readonly strict: boolean;
  /** True where a stream of generated content is one JSON array (no `alt=sse`). */
  readonly asArray?: boolean | undefined;
  /** Output tokens to request where a vendor's wire demands a number and the client gave none. */
  readonly defaultMaxTokens: number;
  /** Bound of each answer's output where the client named none and no more can be paid for. */
  readonly paidOutputTokens?: number | undefined;
  readonly answerId: string;
  /**
   * Names of the client's headers that are sent only to vendors of the client's wire; for other vendors they are
   * reported as dropped.
   */
  readonly ownHeaders?: readonly string[] | undefined;
  /** Members that the answer repeats otherwise than the body says them. */
  readonly echo?: JsonObject | undefined;
  /** The gateway's count of input tokens, for wires that report it at a stream's start. */
  readonly inputTokens: number;
}

/** Finds the client's wire. */
export function clientWireOf({ wire }: Pick<TextCall, "wire">): ClientOnlyWire {
  return textWires[wire];
}

/** Returns the signs of life, and the form of a failure, for a client whose stream has not begun. */
export function waitingIn({ wire, asArray = false }: Pick<TextCall, "wire" | "asArray">): StreamWaiting {
  const { client } = clientWireOf({ wire });
  const frame = (failure: Failure, requestId: string): string => client.failureFrame(failure, requestId);
  const framing = asArray ? client.array?.framing() : undefined;
  if (framing === undefined)
    return { contentType: client.streamType ?? eventStream, sign: client.keepAlive, fail: frame };
  const fail = (failure: Failure, requestId: string): string =>
    framing.reframe(Buffer.from(frame(failure, requestId))) + framing.end();
  return { contentType: framing.contentType, sign: framing.heartbeat(), fail };
}
