import type { Failure } from "@modelgate/contracts";
import type { TextAnswer, TextEvent } from "./answer.ts";
import type { JsonObject, RequestField, TextRequest, TextWire } from "./request.ts";

/** A request in the neutral form, with what had no place in it, in the client's spelling. */
export interface Parsed {
  readonly request: TextRequest;
  /** Hints of the client that the neutral form does not hold. */
  readonly dropped: readonly string[];
  /** The client's last input item asks that this turn end in a compaction (responses); the service sees to it. */
  readonly compactionTrigger?: boolean | undefined;
}

/** A request in a vendor's wire, with what that wire cannot say. */
export interface Rendered {
  readonly body: JsonObject;
  /** Hints left out: fields of the neutral form, or words such as `image.detail` for things inside turns. */
  readonly dropped: readonly string[];
}

/** What the upstream is, as far as rendering depends on it. */
export interface Target {
  /** The vendor's name of the model. */
  readonly model: string;
  /** Output tokens to ask for where the wire demands a number and the client gave none. */
  readonly defaultMaxTokens: number;
}

/** What rendering an answer needs to know of the request that it answers. */
export interface AnswerContext {
  /** The model's name as the client wrote it. */
  readonly model: string;
  /** The client's own body, for wires that echo it (responses). */
  readonly asked: JsonObject;
  readonly request: TextRequest;
  /** An id of ours for the answer where the wire wants its own form: `chatcmpl-…`, `resp_…`, `msg_…`. */
  readonly answerId: string;
  /** Unix seconds. */
  readonly now: number;
  /** The gateway's own count of input tokens, where a wire must tell it before the vendor does. */
  readonly inputTokens: number;
}

/** One server-sent event as it was framed. */
export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}

/**
 * The vendor's stream, frame by frame, as neutral events. Synchronous: a test is one call. Throws nothing for
 * strange frames that can be passed over; a frame that cannot be JSON is a `failure` event.
 */
export interface StreamReader {
  read(frame: Frame): readonly TextEvent[];
  /** The upstream closed: open parts are ended; false from `whole` tells a cut from an end. */
  end(): readonly TextEvent[];
  /** Whether the wire's terminal frame was seen. */
  readonly whole: boolean;
}

/** Neutral events as the client's frames: text to put on the wire as it stands, "" for nothing. */
export interface StreamWriter {
  write(event: TextEvent): string;
  /** The end of a whole stream: whatever the wire ends with. */
  end(): string;
  /** The stream broke: the wire's own in-band error, after which nothing follows. */
  fail(failure: Failure, requestId: string): string;
  /** Keeps a silent stream alive. */
  heartbeat(): string;
}

/** One text wire, both directions; the client's side and the upstream's side share it. No codec knows another. */
export interface TextCodec {
  readonly wire: TextWire;
  /** Client → hub. Throws Failure (400) naming the field for what is wrong. `path` carries the model where the path has it. */
  parseRequest(body: JsonObject, path: { readonly model?: string; readonly stream?: boolean }): Parsed;
  /** Hub → upstream. Throws Failure unsupported_parameter for what changes the meaning and cannot be said. */
  renderRequest(request: TextRequest, target: Target): Rendered;
  /** Upstream → hub. Throws Failure upstream_error for what is no answer. */
  parseAnswer(body: JsonObject): TextAnswer;
  /** Hub → client. */
  renderAnswer(answer: TextAnswer, context: AnswerContext): JsonObject;
  reader(): StreamReader;
  writer(context: AnswerContext): StreamWriter;
  /** How this wire spells a field of the neutral form, for failures and `x-modelgate-dropped`. */
  readonly spelling: Readonly<Partial<Record<RequestField, string>>>;
}

/** The client's half of a codec: what is needed to serve its clients through vendors of other wires. */
export type ClientCodec = Pick<TextCodec, "parseRequest" | "renderAnswer" | "writer" | "spelling">;
