import type { BodyName } from "../bodies/index.ts";
import type { ErrorFormat } from "../failures/render.ts";

/** Service that answers an endpoint. `edge` marks endpoints that the edge itself answers. */
export type Area = "edge" | "text" | "media" | "video" | "audio" | "realtime";

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

/** Places of an API key in a request. Browsers cannot set headers of WebSockets and use the subprotocol. */
export type KeyCarrier = "authorization" | "x-api-key" | "api-key" | "gamma-header" | "gamma-query" | "subprotocol";

/** Formats of a request's body. */
export type BodyForm = "none" | "json" | "multipart" | "json-or-multipart";

/** Formats of streams. Each has a specific error event (`failureFrames`). */
export type StreamFormat =
  | "chat"
  | "responses"
  | "messages"
  | "content"
  | "interactions"
  | "ollama"
  | "images"
  | "audio";

/** One row of the endpoint table, from which routes, authentication, documentation and tests are derived. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE" | "PATCH";
  /** Path, in which `{name}` is a parameter. Usage events store method and path as their `endpoint`. */
  readonly path: string;
  readonly area: Area;
  /** Format of errors. With "by-request", `errorFormatOf` selects the format for each request. */
  readonly errors: ErrorFormat | "by-request";
  readonly keys: readonly KeyCarrier[];
  readonly body: BodyForm;
  /** Kinds of models that the endpoint can call; absent if it calls none. */
  readonly kinds?: readonly ModelKind[];
  /** True if the edge requires no balance: the calls are free of charge, or the service checks the balance itself. */
  readonly free?: true;
  /** True if the endpoint stores the client's content. It costs nothing, but needs a positive balance. */
  readonly keepsContent?: true;
  /** Format of the endpoint's stream and of its error event. */
  readonly streamFormat?: StreamFormat;
  readonly webSocket?: true;
  /** True if the endpoint is only declared: the edge answers 501. */
  readonly unimplemented?: true;
  /** Name in `bodies` of the schema of the JSON body or of the form's fields. */
  readonly schema?: BodyName;
  /** Media type of a successful answer. The default is application/json. */
  readonly answerType?: string;
  readonly summary: string;
}

/** Key carriers of clients that send a Bearer token. Azure's clients send the header `api-key` instead. */
export const bearerKeys = ["authorization", "api-key"] as const satisfies readonly KeyCarrier[];
/** Key carriers of endpoints that clients of the Anthropic format (`alpha`) also use. */
export const anthropicKeys = ["authorization", "x-api-key", "api-key"] as const satisfies readonly KeyCarrier[];
/** Key carriers of endpoints that clients of the Gemini format (`gamma`) also use. */
export const geminiKeys = ["authorization", "gamma-header", "gamma-query"] as const satisfies readonly KeyCarrier[];
/** Key carriers of the model lists, which clients of all formats use. */
export const listKeys = [
  "authorization",
  "x-api-key",
  "api-key",
  "gamma-header",
  "gamma-query",
] as const satisfies readonly KeyCarrier[];
/** Key carriers of WebSockets. Browsers cannot set headers and send the key as a subprotocol. */
export const socketKeys = [
  "authorization",
  "x-api-key",
  "api-key",
  "subprotocol",
] as const satisfies readonly KeyCarrier[];

/** Returns true if an endpoint needs a positive balance. */
export function needsBalance({ kinds, free, keepsContent }: Endpoint): boolean {
  return keepsContent === true || (kinds !== undefined && free !== true);
}
