import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointId } from "../endpoints/table.ts";
import type { FailureCode } from "../failures/registry.ts";

type Codes = readonly FailureCode[];

const ofKeys: Codes = ["invalid_api_key", "contradicting_api_keys", "api_key_expired", "api_key_disabled"];
const ofCallers: Codes = [
  "account_disabled",
  "group_not_allowed",
  "rate_limit_exceeded",
  "server_overloaded",
  "internal_error",
];
const ofBodies: Codes = [
  "invalid_json",
  "missing_required_parameter",
  "invalid_value",
  "request_timeout",
  "request_too_large",
  "unsupported_media_type",
];
const ofModels: Codes = [
  "unsupported_parameter",
  "model_not_found",
  "model_not_allowed",
  "insufficient_quota",
  "channel_concurrency_exceeded",
  "no_available_channel",
  "upstream_error",
  "upstream_overloaded",
  "upstream_auth_failed",
  "upstream_proxy_failed",
  "upstream_timeout",
  "upstream_rate_limited",
  "upstream_rejected",
];
const ofConversations: Codes = ["previous_response_not_found"];
const ofKeptConversations: Codes = ["conversation_not_found"];
const ofVideoCreation: Codes = ["create_uncertain"];

/** Failures of single endpoints, in addition to those of their properties. */
const endpointFailures: Readonly<Partial<Record<EndpointId, Codes>>> = {
  listModels: ["invalid_value"],
  getModel: ["model_not_found"],
  listGammaModels: ["invalid_value"],
  getGammaModel: ["model_not_found"],
  chatCompletions: ["file_input_not_streamable"],
  responses: ofConversations,
  connectResponses: ["websocket_required", "invalid_value", "origin_not_allowed"],
  countResponseTokens: ofConversations,
  compactResponse: ofConversations,
  getResponse: ["invalid_value", "response_not_found"],
  cancelResponse: ["invalid_value", "response_not_found"],
  deleteResponse: ["response_not_found"],
  interactions: ofConversations,
  getInteraction: ["invalid_value", "response_not_found"],
  cancelInteraction: ["response_not_found"],
  deleteInteraction: ["response_not_found"],
  getConversation: ofKeptConversations,
  updateConversation: ofKeptConversations,
  deleteConversation: ofKeptConversations,
  listConversationItems: ["invalid_value", "request_too_large", ...ofKeptConversations],
  addConversationItems: ofKeptConversations,
  getConversationItem: ["request_too_large", ...ofKeptConversations],
  deleteConversationItem: ["request_too_large", ...ofKeptConversations],
  listResponseInputItems: ["invalid_value", "response_not_found"],
  messages: ["thread_not_found"],
  createVideo: ofVideoCreation,
  listVideos: ["invalid_value"],
  deleteVideo: ["task_not_finished"],
  remixVideo: [...ofVideoCreation, "video_not_ready"],
  getVideoContent: [
    "invalid_value",
    "video_not_ready",
    "video_expired",
    "upstream_error",
    "upstream_auth_failed",
    "upstream_proxy_failed",
  ],
  textToVideo: ofVideoCreation,
  imageToVideo: ofVideoCreation,
  epsilon: [...ofVideoCreation, "task_not_found"],
  createVideoGeneration: ofVideoCreation,
  geminiLive: ["websocket_required", "invalid_value", "origin_not_allowed"],
  realtime: ["websocket_required", "missing_required_parameter", "invalid_value", "origin_not_allowed"],
};

/** Returns every code, without duplicates, with which an endpoint can fail before its answer begins. */
export function possibleFailures(id: EndpointId, endpoint: Endpoint): Codes {
  if (endpoint.unimplemented) return [...ofKeys, "api_not_implemented"];
  const task: Codes = endpoint.path.includes("{task_id}") ? ["task_not_found"] : [];
  const body = endpoint.body === "none" ? [] : ofBodies;
  const model = endpoint.kinds === undefined ? [] : ofModels;
  return [...new Set([...ofKeys, ...ofCallers, ...body, ...model, ...task, ...(endpointFailures[id] ?? [])])];
}
