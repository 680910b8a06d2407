import type { Failure, Units, UpstreamWire } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { ClientSide, Parsed, Rendered, RequestPath, Target, VendorSide, Wire } from "../../wire.ts";
import type { Frame, StreamFraming } from "@modelgate/formats/sse";
import type { StoreDialect } from "../../vendor-stores/members.ts";
import type { TextParams } from "../params.ts";
import type { Dialogue } from "../dialogue.ts";
import type { RequestedFees, ReportedExtraUsage } from "../fees.ts";
import type { TextPass } from "../pass.ts";
import type { TextAnswer, TextEvent } from "./answer.ts";
import type { FieldSupport, RequestField, TextRequest } from "./request.ts";

export interface ParsedText extends Parsed<TextRequest> {
  /** True if the last input item requests a compaction at the end of this turn (responses); the service performs it. */
  readonly compactionTrigger?: boolean | undefined;
}

export interface TextTarget extends Target {
  /** Output limit in tokens for a wire that requires one, if the client gave none. */
  readonly defaultMaxTokens: number;
}

export interface AnswerContext {
  /** Model name as the client wrote it. */
  readonly model: string;
  /** Client's body, for wires that echo it (responses). */
  readonly requestBody: JsonRecord;
  readonly request: TextRequest;
  /** Gateway's id of the answer, in the form of the client's wire: `chatcmpl-…`, `resp_…`, `msg_…`. */
  readonly answerId: string;
  /** Unix seconds. */
  readonly now: number;
  /** Gateway's count of input tokens, for a wire that must report it before the vendor does. */
  readonly inputTokens: number;
  /** Returns the milliseconds since the call began, for wires that report an answer's duration. Absent: unknown. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** Converts a vendor's stream to neutral events. Skips unknown frames; a frame that is not JSON is a `failure`. */
export interface StreamReader {
  read(frame: Frame): readonly TextEvent[];
  /** Handles the end of the connection: returns events that end the open parts. `isComplete` stays false if truncated. */
  end(): readonly TextEvent[];
  readonly isComplete: boolean;
  /** True if no further event is needed. On some wires the usage may follow the last text. */
  readonly done: boolean;
}

/** Converts neutral events to the client's frames, as text to send unchanged; "" for an event without a frame. */
export interface StreamWriter {
  /** Renders an event. A vendor's `failure` renders as "": the caller reports it by `fail`. */
  write(event: TextEvent): string;
  end(): string;
  /** Renders the wire's error event of a broken stream, after which nothing follows. */
  fail(failure: Failure, requestId: string): string;
  heartbeat(): string;
}

/** A text wire. Without `client`, only vendors speak it. Without `vendor`, its vendors serve only its clients. */
export interface TextWire<Name extends string = UpstreamWire> extends Wire<TextVendor, TextClient, TextPass> {
  readonly name: Name;
  readonly framing: StreamFraming;
  /** Returns true if an event can begin a vendor's stream; false for an error or an unknown object. */
  isFirstEvent(event: JsonRecord): boolean;
}

/** A wire with a vendor side, to which requests of every client's wire can be converted. */
export type VendorTextWire = TextWire & { readonly vendor: TextVendor };

export interface TextVendor extends VendorSide<TextRequest, TextAnswer> {
  render(request: TextRequest, target: TextTarget): Rendered;
  parse(body: JsonRecord): TextAnswer;
  usage(answer: JsonRecord): Units | undefined;
  fees(answer: JsonRecord): ReportedExtraUsage | undefined;
  stream(): StreamReader;
  /** Finds the charges that a rendered request can cause in addition to tokens; undefined for none. */
  requestedFees(body: JsonRecord): RequestedFees | undefined;
  /** Fields of the neutral form that the wire supports, and those that it refuses. */
  readonly fields: FieldSupport;
  /** Limits the calls of vendor tools if the request does not. Absent: the wire cannot express a limit. */
  capTools?(body: Buffer, max: number): Buffer;
  /** Member whose default limit is raised by the thinking budget. Absent: limits are sent unchanged. */
  readonly raisedBound?: string;
  /** Starts to follow an answer that is generated in the background. Absent: the wire has no such answers. */
  run?(): VendorRun;
  /** Minimum output limit that vendors accept, to which smaller limits are raised. Absent: any limit is accepted. */
  readonly minBound?: number;
}

/** Assembles a complete answer from the events of its stream, in a client's wire. */
export interface AnswerCollector {
  take(event: JsonRecord): void;
  /** The answer; undefined until the stream has ended normally. */
  readonly answer: JsonRecord | undefined;
}

/** Follows the stream of an answer that its vendor generates in the background. A stream that broke can be resumed. */
export interface VendorRun {
  /** Id of the answer at the vendor; undefined until the stream has reported it. */
  readonly id: string | undefined;
  /** Id of the last event that has one. */
  readonly lastEvent: string | undefined;
  readonly hasEnded: boolean;
  /** Reads a frame. Returns false if the client already received it before the stream was resumed. */
  take(frame: Frame): boolean;
  /** Prepares to read the stream after `lastEvent`. Returns false if it cannot be resumed. */
  resume(): boolean;
  /** Reads the usage from the answer's state; undefined if it has none. */
  readonly usageOf: (state: Buffer) => Units | undefined;
}

export interface ClientOnlyWire {
  readonly client: TextClient;
}

export interface TextClient<Params extends TextParams = TextParams> extends ClientSide<
  TextRequest,
  TextAnswer,
  AnswerContext
> {
  read(body: JsonRecord, path: RequestPath): ParsedText;
  stream(context: AnswerContext): StreamWriter;
  readonly spelling: Readonly<Partial<Record<RequestField, string>>>;
  /** Checks the fields that the gateway relies on and returns the parameters. Throws Failure (400) naming the field. */
  readParams(body: unknown, path: RequestPath): Params;
  readonly answerPrefix: string;
  readonly stores: StoreDialect;
  /** Media type of the wire's streams; absent: server-sent events. */
  readonly streamType?: string;
  /** Text that keeps the connection alive before a stream begins. */
  readonly keepAlive: string;
  /** Renders the failure that ends a stream. `sequence` is the last frame's number, if frames have one. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Reads the end user that a request names, for accounting. Absent: requests cannot name one. */
  endUser?(body: JsonRecord): string | undefined;
  /** Reads the conversation that a body belongs to. Absent: requests of this wire do not belong to conversations. */
  dialogue?(body: JsonRecord): Dialogue;
  /** Returns true if a request requests reasoning from its model. Absent: requests of this wire cannot request it. */
  requestsReasoning?(body: JsonRecord): boolean;
  /** Form of streams as one JSON array instead of server-sent events, on wires whose clients may request it. */
  readonly array?: {
    framing(): ClientFraming;
    stream(context: AnswerContext): StreamWriter;
  };
  /** Handles requests that become several calls to the vendor. Absent: a request is always one call. */
  readonly batch?: PromptBatch;
  /** Maximum output tokens that the wire defines for requests without a limit. Absent: it defines none. */
  readonly defaultMaxTokens?: number;
  /** Counts input tokens for clients. Absent: the wire has no such request. */
  readonly count?: TokenCount;
}

export interface PromptBatch {
  isBatch(body: JsonRecord): boolean;
  /** Parses the calls' requests, which differ only in their prompts. Throws Failure (400) naming the wrong field. */
  read(body: JsonRecord): {
    readonly requests: readonly [TextRequest, ...TextRequest[]];
    readonly dropped: readonly string[];
  };
  render(all: readonly AnsweredRequest[], context: AnswerContext): JsonRecord;
  renderStream(all: readonly AnsweredRequest[], context: AnswerContext): string;
}

/** One call of several, with its answer. */
export interface AnsweredRequest {
  readonly request: TextRequest;
  readonly answer: TextAnswer;
}

/** A wire's endpoint that counts the input tokens of a request to another endpoint. */
export interface TokenCount {
  /** Wire of the vendors that can count the tokens. */
  readonly wire: UpstreamWire;
  readParams(body: unknown, path: RequestPath): TextParams;
  /** Returns the request whose tokens are counted, as `parseRequest` accepts it. */
  countBody(body: JsonRecord): JsonRecord;
  read(answer: JsonRecord): number | undefined;
  render(tokens: number): JsonRecord;
}

/** Framing of a client's stream: server-sent events, or elements of one JSON array. */
export interface ClientFraming {
  readonly contentType: string;
  piece(json: string): string;
  /** Returns the data of a vendor's server-sent event in this framing; "" for an event without data. */
  reframe(frame: Buffer): string;
  end(): string;
  heartbeat(): string;
}
