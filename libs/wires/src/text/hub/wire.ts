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
  /** True if the last input item requests a compaction (responses). */
  readonly compactionTrigger?: boolean | undefined;
}

export interface TextTarget extends Target {
  /** Output limit in tokens if the client sets none, for wires that require one. */
  readonly defaultMaxTokens: number;
  /** True if the vendor is Anthropic. */
  readonly isAnthropic?: boolean | undefined;
}

export interface AnswerContext {
  /** Client's name of the model. */
  readonly model: string;
  /** Client's body, which some wires repeat in the answer. */
  readonly requestBody: JsonRecord;
  readonly request: TextRequest;
  /** The gateway's id of the answer, in the form of the client's wire. */
  readonly answerId: string;
  /** Unix seconds. */
  readonly now: number;
  /** The gateway's count of input tokens, for wires that report it before the vendor does. */
  readonly inputTokens: number;
  /** Returns the milliseconds since the call began. */
  readonly elapsedMs?: (() => number) | undefined;
}

/** Converts a vendor's stream to neutral events. Unknown frames are skipped. */
export interface StreamReader {
  read(frame: Frame): readonly TextEvent[];
  /** Returns events that end the open parts, at the end of the connection. */
  end(): readonly TextEvent[];
  readonly isComplete: boolean;
  /** True if the rest of the stream is not needed. */
  readonly done: boolean;
}

/** Converts neutral events to the client's frames. */
export interface StreamWriter {
  /** Renders an event. For a vendor's `failure`, returns "": the caller then uses `fail`. */
  write(event: TextEvent): string;
  end(): string;
  /** Renders the last event of a broken stream. */
  fail(failure: Failure, requestId: string): string;
  heartbeat(): string;
}

/**
 * A text wire. Without `client`, only vendors use it. Without `vendor`, requests of other wires cannot be converted to
 * it.
 */
export interface TextWire<Name extends string = UpstreamWire> extends Wire<TextVendor, TextClient, TextPass> {
  readonly name: Name;
  readonly framing: StreamFraming;
  /** Returns true if an event can begin a vendor's stream; false for an error. */
  isFirstEvent(event: JsonRecord): boolean;
}

/** A wire to which requests of other wires can be converted. */
export type VendorTextWire = TextWire & { readonly vendor: TextVendor };

export interface TextVendor extends VendorSide<TextRequest, TextAnswer> {
  render(request: TextRequest, target: TextTarget): Rendered;
  parse(body: JsonRecord): TextAnswer;
  usage(answer: JsonRecord): Units | undefined;
  fees(answer: JsonRecord): ReportedExtraUsage | undefined;
  stream(): StreamReader;
  /** Returns the charges that a request can cause in addition to tokens. */
  requestedFees(body: JsonRecord): RequestedFees | undefined;
  readonly fields: FieldSupport;
  /** Limits the calls of the vendor's tools, unless the request limits them. Absent if the wire has no such limit. */
  capTools?(body: Buffer, max: number): Buffer;
  /** Member that limits the output. If the client sets no limit, a thinking budget may raise the default. */
  readonly raisedOutputLimit?: string;
  /** Creates the reader of an answer that the vendor generates in the background. */
  run?(): VendorRun;
  /** Minimum output limit that vendors accept. */
  readonly minOutputLimit?: number;
}

/** Assembles a complete answer from the events of its stream. */
export interface AnswerCollector {
  add(event: JsonRecord): void;
  /** Undefined until the stream has ended normally. */
  readonly answer: JsonRecord | undefined;
}

/** Follows the stream of an answer that its vendor generates in the background. A broken stream can be resumed. */
export interface VendorRun {
  /** Vendor's id of the answer; undefined until the stream has reported it. */
  readonly id: string | undefined;
  /** Id of the last event that has one. */
  readonly lastEvent: string | undefined;
  readonly hasEnded: boolean;
  /** Reads a frame. Returns false if an earlier connection has already delivered it. */
  read(frame: Frame): boolean;
  /** Prepares to read the stream after `lastEvent`. Returns false if it cannot be resumed. */
  resume(): boolean;
  /** Reads the usage from the answer's state. */
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
  /** Checks a body, and reads the parameters that the gateway needs. Throws Failure (400). */
  readParams(body: unknown, path: RequestPath): Params;
  readonly answerPrefix: string;
  readonly stores: StoreDialect;
  /** Media type of the wire's streams. The default is server-sent events. */
  readonly streamType?: string;
  /** Text that keeps the connection alive before a stream begins. */
  readonly keepAlive: string;
  /** Renders the failure that ends a stream. `sequence` is the number of the last frame. */
  failureFrame(failure: Failure, requestId: string, sequence?: number): string;
  /** Reads the end user of a request, for accounting. */
  endUser?(body: JsonRecord): string | undefined;
  /** Reads the conversation that a request belongs to. */
  dialogue?(body: JsonRecord): Dialogue;
  /** Returns true if a request asks for reasoning. */
  requestsReasoning?(body: JsonRecord): boolean;
  /** Rendering of streams as one JSON array instead of server-sent events. */
  readonly array?: {
    framing(): ClientFraming;
    stream(context: AnswerContext): StreamWriter;
  };
  /** Handling of requests that become several calls to the vendor. */
  readonly batch?: BatchConversion;
  /** Maximum output tokens that the wire defines for requests without a limit. */
  readonly defaultMaxTokens?: number;
  /** Endpoint that counts input tokens. */
  readonly count?: TokenCount;
}

export interface BatchConversion {
  isBatch(body: JsonRecord): boolean;
  /** Parses the requests of all calls. Throws Failure (400). */
  read(body: JsonRecord): {
    readonly requests: readonly [TextRequest, ...TextRequest[]];
    readonly dropped: readonly string[];
  };
  render(all: readonly AnsweredRequest[], context: AnswerContext): JsonRecord;
  renderStream(all: readonly AnsweredRequest[], context: AnswerContext): string;
}

/** One of the calls for a request, with its answer. */
export interface AnsweredRequest {
  readonly request: TextRequest;
  readonly answer: TextAnswer;
}

/** An endpoint that counts the input tokens of a request to another endpoint. */
export interface TokenCount {
  /** Wire of the vendors that can count tokens. */
  readonly wire: UpstreamWire;
  readParams(body: unknown, path: RequestPath): TextParams;
  /** Returns the request whose tokens are counted. */
  countBody(body: JsonRecord): JsonRecord;
  read(answer: JsonRecord): number | undefined;
  render(tokens: number): JsonRecord;
}

/** Framing of a client's stream. */
export interface ClientFraming {
  readonly contentType: string;
  piece(json: string): string;
  /** Returns the data of a vendor's server-sent event in this framing; "" for an event without data. */
  reframe(frame: Buffer): string;
  end(): string;
  heartbeat(): string;
}
