import type { BodyName } from "../bodies/index.ts";
import type { ErrorFormat } from "../failures/render.ts";

/** Services behind the edge, each scaled separately; `edge` for endpoints that the edge answers. */
export type Area = "edge" | "text" | "media" | "video" | "audio" | "realtime";

/** Kinds of models. A model can be called only through endpoints of its kind. */
export const modelKinds = [
  "chat",
  "completion",
  "embedding",
  "rerank",
  "moderation",
  "image",
  "video",
  "transcription",
  "speech",
  "realtime",
] as const;
export type ModelKind = (typeof modelKinds)[number];

/**
 * Places in a request that can contain an API key: interface section 5, and the subprotocol of browsers' WebSockets.
 */
export type KeyCarrier = "authorization" | "x-api-key" | "api-key" | "gamma-header" | "gamma-query" | "subprotocol";

/** Format of a request's body. */
export type BodyForm = "none" | "json" | "multipart" | "json-or-multipart";

/** Formats of streams; each has a specific error event (`failureFrames`). */
export type StreamFormat = "chat" | "responses" | "messages" | "content" | "ollama" | "images" | "audio";

/** One endpoint: a row of the table that routes, key look-up, docs and tests are derived from. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE" | "PATCH";
  /** Path as in interface.md; `{name}` is a parameter. Method and path form the `endpoint` of a usage event. */
  readonly path: string;
  readonly area: Area;
  /** Format of all errors of this endpoint; "by-request" is resolved by `errorFormatOf`. */
  readonly errors: ErrorFormat | "by-request";
  readonly keys: readonly KeyCarrier[];
  readonly body: BodyForm;
  /** Kinds of models that can be called here; absent: the endpoint calls no model and costs nothing. */
  readonly kinds?: readonly ModelKind[];
  /** True if the endpoint calls a model without a charge, so that no balance is needed. */
  readonly free?: true;
  /** True if the endpoint stores the client's content: it costs nothing, but a positive balance is needed. */
  readonly keepsContent?: true;
  /** Format of an error in a broken stream; absent: the answer is never a stream. */
  readonly streams?: StreamFormat;
  /** True for a WebSocket: a request without an upgrade is refused. */
  readonly webSocket?: true;
  /** True if the endpoint is declared only: the edge answers 501 (interface section 4.8). */
  readonly unimplemented?: true;
  /** A name in `bodies`: the schema of the JSON body or of the form's fields. */
  readonly schema?: BodyName;
  /** Media type of a successful answer; absent: JSON. */
  readonly answers?: string;
  readonly summary: string;
}

/**
 * Key carriers of clients with a Bearer token, which every endpoint accepts; Azure's clients use the header `api-key`.
 */
export const bearer = ["authorization", "api-key"] as const satisfies readonly KeyCarrier[];
/** Key carriers of endpoints that clients of the Anthropic format (`alpha`) use too. */
export const alphaKeys = ["authorization", "x-api-key", "api-key"] as const satisfies readonly KeyCarrier[];
/** Key carriers of endpoints that clients of the Gemini format (`gamma`) use too. */
export const gammaKeys = ["authorization", "gamma-header", "gamma-query"] as const satisfies readonly KeyCarrier[];
/** Key carriers of the model lists, which clients of all three formats use. */
export const listKeys = [
  "authorization",
  "x-api-key",
  "api-key",
  "gamma-header",
  "gamma-query",
] as const satisfies readonly KeyCarrier[];
/** Key carriers of WebSockets: a header, or a subprotocol, because browsers cannot set headers. */
export const socketKeys = [
  "authorization",
  "x-api-key",
  "api-key",
  "subprotocol",
] as const satisfies readonly KeyCarrier[];

/** Returns whether calls of an endpoint need a positive balance. */
export function needsBalance({ kinds, free, keepsContent }: Endpoint): boolean {
  return keepsContent === true || (kinds !== undefined && free !== true);
}
