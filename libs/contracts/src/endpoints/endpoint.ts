import type { BodyName } from "../bodies/index.ts";
import type { ErrorFormat } from "../failures/render.ts";

/** The services behind the edge, each scaled on its own; the edge itself answers what needs none of them. */
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

/** Places that can carry a key: interface section 5, and the browser's subprotocol for WebSockets. */
export type KeyCarrier = "authorization" | "x-api-key" | "api-key" | "gamma-header" | "gamma-query" | "subprotocol";

/** The form of a request's body. */
export type BodyForm = "none" | "json" | "multipart" | "json-or-multipart";

/** The formats of streams: each has an error event of its own (`failureFrames`). */
export type StreamFormat = "chat" | "responses" | "messages" | "content" | "ollama" | "images" | "audio";

/** One endpoint: a row of the table from which routes, key look-up, docs and tests come. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE" | "PATCH";
  /** Path as interface.md writes it; `{name}` is a parameter. With the method it is a usage event's `endpoint`. */
  readonly path: string;
  readonly area: Area;
  /** The format of every error of this endpoint; "by-request" is settled by `errorFormatOf`. */
  readonly errors: ErrorFormat | "by-request";
  readonly keys: readonly KeyCarrier[];
  readonly body: BodyForm;
  /** Kinds of models that can be called here; absent: the endpoint calls no model and costs nothing. */
  readonly kinds?: readonly ModelKind[];
  /** Calls a model and yet costs nothing, so that no balance is needed. */
  readonly free?: true;
  /** Keeps content of the client's, which costs nothing: a balance is needed all the same. */
  readonly keepsContent?: true;
  /** Format of an error in a broken stream; absent: the answer is never a stream. */
  readonly streams?: StreamFormat;
  /** True for a WebSocket: a request that does not ask for one is refused. */
  readonly webSocket?: true;
  /** Declared only: the edge answers 501 (interface section 4.8). */
  readonly unimplemented?: true;
  /** A name in `bodies`: the schema of the JSON body or of the form's fields. */
  readonly schema?: BodyName;
  /** Media type of a successful answer, where it is not JSON. */
  readonly answers?: string;
  readonly summary: string;
}

/**
 * Key carriers of clients with a Bearer token, which every endpoint accepts. Azure's clients send a different header.
 */
export const bearer = ["authorization", "api-key"] as const satisfies readonly KeyCarrier[];
/** Key carriers where alpha-style clients appear as well. */
export const alphaKeys = ["authorization", "x-api-key", "api-key"] as const satisfies readonly KeyCarrier[];
/** Key carriers where gamma-style clients appear as well. */
export const gammaKeys = ["authorization", "gamma-header", "gamma-query"] as const satisfies readonly KeyCarrier[];
/** The model lists serve all three kinds of client. */
export const listKeys = [
  "authorization",
  "x-api-key",
  "api-key",
  "gamma-header",
  "gamma-query",
] as const satisfies readonly KeyCarrier[];
/** A WebSocket's key: header, or a subprotocol where a browser cannot set headers. */
export const socketKeys = [
  "authorization",
  "x-api-key",
  "api-key",
  "subprotocol",
] as const satisfies readonly KeyCarrier[];

/** Returns true if calls of an endpoint need a positive balance. */
export function needsBalance({ kinds, free, keepsContent }: Endpoint): boolean {
  return keepsContent === true || (kinds !== undefined && free !== true);
}
