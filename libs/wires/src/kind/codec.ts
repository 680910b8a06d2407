import type { Units } from "@modelgate/contracts";
import type { JsonRecord } from "../json/fields.ts";

/** A client's request in a kind's neutral form. */
export interface ParsedRequest<Request> {
  readonly request: Request;
  /** Hints of the client that the neutral form does not hold, in the client's spelling. */
  readonly dropped: readonly string[];
}

/** A request in a vendor's wire, with what that wire cannot say. */
export interface RenderedRequest {
  readonly body: JsonRecord;
  /** Hints left out: fields of the neutral form, or members of another wire in its own spelling. */
  readonly dropped: readonly string[];
}

/** What rendering an answer needs to know of the request that it answers. */
export interface KindContext<Request> {
  /** The model's name as the client wrote it. */
  readonly model: string;
  readonly request: Request;
  /** An id of ours, for wires whose answers have one and vendors that give none. */
  readonly answerId: string;
  /** The gateway's own count of input tokens, for wires that must report it where the vendor did not. */
  readonly inputTokens: number;
}

/**
 * A wire of a kind that answers in one piece (vectors, ranking, moderation), both directions; the client's side and
 * the upstream's side share it. Pure and synchronous; no codec knows another. Text has its own, with streams.
 */
export interface KindCodec<Wire extends string, Request, Answer> {
  readonly wire: Wire;
  /** Client → hub. Throws Failure (400) naming the field that is wrong. `path` holds the model where the path has it. */
  parseRequest(body: JsonRecord, path?: { readonly model?: string | undefined }): ParsedRequest<Request>;
  /**
   * Hub → upstream, under the vendor's own name of the model. Throws Failure unsupported_parameter, its `param` in the
   * neutral form's word, for what changes the meaning and cannot be said.
   */
  renderRequest(request: Request, target: { readonly model: string }): RenderedRequest;
  /** Upstream → hub. Throws Failure upstream_error for what is no answer. */
  parseAnswer(body: JsonRecord): Answer;
  /** Hub → client. Throws Failure upstream_error for an answer that does not fit the request. */
  renderAnswer(answer: Answer, context: KindContext<Request>): JsonRecord;
  /** What the vendor says that the call used; undefined where it says nothing. */
  readUsage(body: JsonRecord): Units | undefined;
  /** How this wire spells the fields of the neutral form that it has, for failures and `x-modelgate-dropped`. */
  readonly spelling: Readonly<Record<string, string>>;
}
