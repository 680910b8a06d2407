import type { BodyName } from "../bodies/index.ts";
import type { ErrorFormat } from "../failures/render.ts";

/** The services behind the edge, each scaled on its own; the edge itself answers what needs none of them. */
export type Area = "edge" | "text" | "media" | "video" | "audio" | "realtime";

/** What a model is for; a model of one kind cannot be called through an endpoint of another. */
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

/** Where a key may stand: interface section 5, and the browser's subprotocol for WebSockets. */
export type KeyCarrier = "authorization" | "x-api-key" | "api-key" | "gamma-header" | "gamma-query" | "subprotocol";

/** The form of a request's body. */
export type BodyForm = "none" | "json" | "multipart" | "json-or-multipart";

/** The formats of streams: each has an error event of its own (`failureFrames`). */
export type StreamFormat = "chat" | "responses" | "messages" | "content" | "ollama" | "images" | "audio";

/** One endpoint: a row of the table from which routes, key look-up, docs and tests come. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  /** Path as interface.md writes it; `{name}` is a parameter. With the method it is a usage event's `endpoint`. */
  readonly path: string;
  readonly area: Area;
  /** The format of every error of this endpoint; "by-request" is settled by `errorFormatOf`. */
  readonly errors: ErrorFormat | "by-request";
  readonly keys: readonly KeyCarrier[];
  readonly body: BodyForm;
  /** What a model must be for to be called here; absent: the endpoint calls no model and costs nothing. */
  readonly kinds?: readonly ModelKind[];
  /** Calls a model and yet costs nothing, so that no balance is needed. */
  readonly free?: true;
  /** Keeps content of the client's, which costs nothing: a balance is needed all the same. */
  readonly keepsContent?: true;
  /** How a stream of the answer says that it broke; absent: the answer is never a stream. */
  readonly streams?: StreamFormat;
  /** Whether it is a WebSocket: a request that does not ask for one is refused. */
  readonly webSocket?: true;
  /** Declared only: the edge answers 501 (interface section 4.8). */
  readonly unimplemented?: true;
  /** A name in `bodies`: the schema of the JSON body or of the form's fields. */
  readonly schema?: BodyName;
  /** Media type of a successful answer, where it is not JSON. */
  readonly answers?: string;
  readonly summary: string;
}

/** Where a client with a Bearer token may appear: everywhere; Azure's clients have a header of their own. */
export const bearer = ["authorization", "api-key"] as const satisfies readonly KeyCarrier[];
/** Where alpha-style clients appear as well. */
export const alphaKeys = ["authorization", "x-api-key", "api-key"] as const satisfies readonly KeyCarrier[];
/** Where gamma-style clients appear as well. */
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

/** Whether calls of an endpoint need a positive balance. */
export function needsBalance({ kinds, free, keepsContent }: Endpoint): boolean {
  return keepsContent === true || (kinds !== undefined && free !== true);
}
