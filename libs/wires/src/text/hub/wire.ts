import type { Failure, Units, UpstreamWire } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import type { Parsed, Rendered, RequestPath, Target, Wire } from "../../wire.ts";
import type { Frame, StreamFraming } from "../../sse/framing.ts";
import type { StoreDialect } from "../../vendor-stores/members.ts";
import type { TextParams } from "../params.ts";
import type { Dialogue } from "../dialogue.ts";
import type { RequestedFees, ReportedFees } from "../fees.ts";
import type { TextPass } from "../pass.ts";
import type { TextAnswer, TextEvent } from "./answer.ts";
import type { FieldSupport } from "./field-support.ts";
import type { JsonObject, RequestField, TextRequest } from "./request.ts";

/** A client's request for text in the neutral form. */
export interface ParsedText extends Parsed<TextRequest> {
  /** The last input item asks that this turn end in a compaction (responses); the service sees to it. */
  readonly compactionTrigger?: boolean | undefined;
}

/** The upstream of a request for text, as far as rendering depends on it. */
export interface TextTarget extends Target {
  /** Output tokens to ask for where the wire demands a number and the client gave none. */
  readonly defaultMaxTokens: number;
}

/** Facts of a request that rendering its answer needs. */
export interface AnswerContext {
  /** The model's name as the client wrote it. */
  readonly model: string;
  /** The client's own body, for wires that echo it (responses). */
  readonly requestBody: JsonObject;
  readonly request: TextRequest;
  /** An id of ours for the answer where the wire wants its own form: `chatcmpl-…`, `resp_…`, `msg_…`. */
  readonly answerId: string;
  /** Unix seconds. */
  readonly now: number;
  /** The gateway's own count of input tokens, where a wire must report it before the vendor does. */
  readonly inputTokens: number;
  /** Milliseconds since the call came, on wires that say how long an answer took. Absent: not known. */
  readonly elapsedMs?: (() => number) | undefined;
}

/**
 * The vendor's stream, frame by frame, as neutral events. Synchronous: a test is one call. Throws nothing for
 * strange frames that can be passed over; a frame that cannot be JSON is a `failure` event.
 */
export interface StreamReader {
  read(frame: Frame): readonly TextEvent[];
  /** The upstream closed: open parts are ended; `whole` is false if the stream was cut. */
  end(): readonly TextEvent[];
  /** True if what came is a whole answer. */
  readonly whole: boolean;
  /** True if nothing of worth can follow: after the last words of some wires a report of usage still may. */
  readonly done: boolean;
}

/** Neutral events as the client's frames: text to put on the wire unchanged, "" for nothing. */
export interface StreamWriter {
  /** A vendor's `failure` writes nothing: the caller reports it by `fail`. */
  write(event: TextEvent): string;
  /** The end of a whole stream: whatever the wire ends with. */
  end(): string;
  /** The stream broke: the wire's own in-band error, after which nothing follows. */
  fail(failure: Failure, requestId: string): string;
  heartbeat(): string;
}

/**
 * One text wire. Each part stands alone: a wire without `client` is a vendor's only, one without `vendor` is reached only
 * by clients that speak it themselves (`pass`). No wire knows another.
 */
export interface TextWire<Name extends string = UpstreamWire> extends Wire<TextVendor, TextClient, TextPass> {
  readonly name: Name;
  readonly framing: StreamFraming;
  /** Returns true if a vendor's stream can begin with an event: neither an error nor an event of another shape. */
  begins(event: JsonRecord): boolean;
}

/** A wire that calls of any client can be converted to. */
export type VendorTextWire = TextWire & { readonly vendor: TextVendor };

/** A wire that clients speak. */
export type ClientTextWire = TextWire & { readonly client: TextClient };

/** The side that vendors of text speak. */
export interface TextVendor {
  /** Renders the vendor's request. Throws Failure unsupported_parameter for fields that change the meaning and cannot be expressed. */
  render(request: TextRequest, target: TextTarget): Rendered;
  /** Parses a complete answer. Throws Failure upstream_error if it is not one. */
  parse(body: JsonRecord): TextAnswer;
  /** Reads the usage that a complete answer reports. Throws Failure upstream_error if it failed or is not one. */
  usage(answer: JsonRecord): Units | undefined;
  /** Reads what a complete answer reports of charges beside tokens. Returns undefined for none. */
  fees(answer: JsonRecord): ReportedFees | undefined;
  stream(): StreamReader;
  /** Finds what a rendered request asks of the vendor beside tokens; undefined for nothing. */
  requestedFees(body: JsonRecord): RequestedFees | undefined;
  /** Fields of the neutral form that the wire expresses, and what becomes of the others. */
  readonly fields: FieldSupport;
  /** Bounds the calls of tools that the vendor runs, where the request does not. Absent: the wire has no word for it. */
  capTools?(body: Buffer, most: number): Buffer;
  /**
   * The member that bounds an answer's tokens, where the wire counts thoughts among them and a rendering raises
   * the gateway's own bound by their budget. Absent: bounds are sent as they are.
   */
  readonly raisedBound?: string;
  /** The least bound of output that its vendors take: a smaller one is raised to it. Absent: any. */
  readonly minBound?: number;
}

/** A wire that clients speak and no vendor is reached by. */
export interface ClientOnlyWire {
  readonly client: TextClient;
}

/** The side that clients of text speak. */
export interface TextClient<Params extends TextParams = TextParams> {
  /** Parses a client's request. Throws Failure (400) naming the field that is wrong. */
  read(body: JsonObject, path: RequestPath): ParsedText;
  render(answer: TextAnswer, context: AnswerContext): JsonObject;
  stream(context: AnswerContext): StreamWriter;
  /** Spelling of the fields of the neutral form, for failures and `x-modelgate-dropped`. */
  readonly spelling: Readonly<Partial<Record<RequestField, string>>>;
  /** Checks the fields that the gateway relies on and reads the parameters for admission. Throws Failure (400) naming the field. */
  readParams(body: unknown, path: RequestPath): Params;
  /** The members that decide what a call may do and cost: parsers must not be able to read them in two ways. */
  readonly relied: readonly string[];
  readonly answerPrefix: string;
  /** Names of things in the vendor's store, in bodies and in answers. */
  readonly stores: StoreDialect;
  /** The media type of its streams; absent: server-sent events. */
  readonly streamType?: string;
  /** Keeps a client waiting before its stream begins. */
  readonly keepAlive: string;
  /** Renders how a stream breaks; nothing follows. `sequence` is the last frame's number, where it has one. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Reads the end user that a request names, for the books. Absent: it can name none. */
  endUser?(body: JsonRecord): string | undefined;
  /** Reads what a body says of its conversation. Absent: requests of this wire are not turns of one. */
  dialogue?(body: JsonRecord): Dialogue;
  /** Ways in which a request asks its model to think. Absent: it cannot. */
  readonly thoughts?: {
    /** One of these is in every body that asks for thoughts. */
    readonly words: readonly Buffer[];
    isRequested(body: JsonRecord): boolean;
  };
  /** The stream as one JSON array instead of server-sent events, on wires whose clients may ask for that. */
  readonly array?: {
    framing(): ClientFraming;
    stream(context: AnswerContext): StreamWriter;
  };
  /** Service of requests that come to several calls at the vendor. Absent: none do. */
  readonly batch?: PromptBatch;
  /** Output tokens of an answer to a request that names no bound, by the wire's own rule. Absent: as many as the model writes. */
  readonly defaultMaxTokens?: number;
  /** Counting of input tokens for its clients. Absent: they cannot request it. */
  readonly count?: TokenCount;
}

/** A request that comes to several calls, and their answers. */
export interface PromptBatch {
  /** Returns true if a body comes to more than one call. */
  isBatch(body: JsonObject): boolean;
  /** Parses the calls' requests, which differ in their prompts only. Throws Failure (400) naming the field that is wrong. */
  read(body: JsonObject): {
    readonly requests: readonly [TextRequest, ...TextRequest[]];
    readonly dropped: readonly string[];
  };
  /** Renders the answers to all calls, in their order. */
  render(all: readonly AnsweredRequest[], context: AnswerContext): JsonObject;
  stream(all: readonly AnsweredRequest[], context: AnswerContext): string;
}

/** One call of several, with its answer. */
export interface AnsweredRequest {
  readonly request: TextRequest;
  readonly answer: TextAnswer;
}

/** A wire's request to count the input tokens of another one. */
export interface TokenCount {
  /** The wire of vendors that count. */
  readonly wire: UpstreamWire;
  /** Checks the request. Throws Failure (400) naming the field. */
  readParams(body: unknown, path: RequestPath): TextParams;
  /** Finds the request whose tokens are counted, as `parseRequest` takes it. */
  counted(body: JsonRecord): JsonRecord;
  /** Reads a vendor's count; undefined where it has none. */
  read(answer: JsonRecord): number | undefined;
  render(tokens: number): JsonObject;
}

/** Framing of the pieces of a client's stream: as server-sent events, or as the elements of one JSON array. */
export interface ClientFraming {
  readonly contentType: string;
  piece(json: string): string;
  /** Frames the data of a vendor's server-sent event; "" for one without data. */
  reframe(frame: Buffer): string;
  end(): string;
  heartbeat(): string;
}
