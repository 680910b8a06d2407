import type { Endpoint } from "../endpoints/endpoint.ts";
import type { EndpointId } from "../endpoints/table.ts";
import type { FailureCode } from "../failures/registry.ts";

type FailureCodes = readonly FailureCode[];

const keyFailures: FailureCodes = [
  "invalid_api_key",
  "contradicting_api_keys",
  "api_key_expired",
  "api_key_disabled",
  "address_not_allowed",
];
const callerFailures: FailureCodes = [
  "account_disabled",
  "group_not_allowed",
  "rate_limit_exceeded",
  "server_overloaded",
  "internal_error",
];
const bodyFailures: FailureCodes = [
  "invalid_json",
  "missing_required_parameter",
  "invalid_value",
  "request_timeout",
  "request_too_large",
  "unsupported_media_type",
];
const modelFailures: FailureCodes = [
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
const storedConversationFailures: FailureCodes = ["conversation_not_found"];
const turnFailures: FailureCodes = ["previous_response_not_found", ...storedConversationFailures];
const videoCreationFailures: FailureCodes = ["create_uncertain"];

/** Failures of single endpoints, in addition to those that `possibleFailures` derives. */
const endpointFailures: Readonly<Partial<Record<EndpointId, FailureCodes>>> = {
  listModels: ["invalid_value"],
  getModel: ["model_not_found"],
  listGammaModels: ["invalid_value"],
  getGammaModel: ["model_not_found"],
  chatCompletions: ["file_input_not_streamable"],
  responses: [...turnFailures, "compaction_failed"],
  connectResponses: ["websocket_required", "invalid_value", "origin_not_allowed"],
  countResponseTokens: turnFailures,
  compactResponse: [...turnFailures, "compaction_failed"],
  getResponse: ["invalid_value", "response_not_found"],
  cancelResponse: ["invalid_value", "response_not_found"],
  deleteResponse: ["response_not_found"],
  interactions: ["previous_response_not_found"],
  getInteraction: ["invalid_value", "response_not_found"],
  cancelInteraction: ["response_not_found"],
  deleteInteraction: ["response_not_found"],
  getConversation: storedConversationFailures,
  updateConversation: storedConversationFailures,
  deleteConversation: storedConversationFailures,
  listConversationItems: ["invalid_value", "request_too_large", ...storedConversationFailures],
  addConversationItems: storedConversationFailures,
  getConversationItem: ["request_too_large", ...storedConversationFailures],
  deleteConversationItem: ["request_too_large", ...storedConversationFailures],
  listResponseInputItems: ["invalid_value", "response_not_found"],
  messages: ["thread_not_found"],
  createVideo: videoCreationFailures,
  listVideos: ["invalid_value"],
  deleteVideo: ["task_not_finished"],
  remixVideo: [...videoCreationFailures, "video_not_ready"],
  getVideoContent: [
    "invalid_value",
    "video_not_ready",
    "video_expired",
    "upstream_error",
    "upstream_auth_failed",
    "upstream_proxy_failed",
  ],
  textToVideo: videoCreationFailures,
  imageToVideo: videoCreationFailures,
  epsilon: [...videoCreationFailures, "task_not_found"],
  createVideoGeneration: videoCreationFailures,
  gptLive: ["websocket_required", "invalid_value", "origin_not_allowed"],
  geminiLive: ["websocket_required", "invalid_value", "origin_not_allowed"],
  realtime: ["websocket_required", "missing_required_parameter", "invalid_value", "origin_not_allowed"],
};

/** Returns every code with which an endpoint can fail before its answer begins. */
export function possibleFailures(id: EndpointId, endpoint: Endpoint): FailureCodes {
  if (endpoint.unimplemented) return [...keyFailures, "api_not_implemented"];
  const task: FailureCodes = endpoint.path.includes("{task_id}") ? ["task_not_found"] : [];
  const body = endpoint.body === "none" ? [] : bodyFailures;
  const model = endpoint.kinds === undefined ? [] : modelFailures;
  return [...new Set([...keyFailures, ...callerFailures, ...body, ...model, ...task, ...(endpointFailures[id] ?? [])])];
}
