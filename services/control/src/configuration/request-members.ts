import type { ChannelConfiguration, Configuration, ConfigurationProblem } from "@modelgate/contracts";

/**
 * Members of requests that decide the action or cost of a call. A test compares them with
 * `ClientSide.inspectedMembers`, because control does not load the wires.
 */
const wireMembers: readonly string[] = [
  "agent",
  "background",
  "best_of",
  "billing_policy",
  "cachedContent",
  "content",
  "content_policy_fallbacks",
  "contents",
  "context_window_fallbacks",
  "dimensions",
  "documents",
  "duration",
  "embedding_types",
  "enable_search",
  "encoding_format",
  "fallbacks",
  "frames",
  "generationConfig",
  "images",
  "input",
  "input_type",
  "instructions",
  "max_chunks_per_doc",
  "max_completion_tokens",
  "max_output_tokens",
  "max_tokens",
  "max_tokens_per_doc",
  "max_tool_calls",
  "mcp_servers",
  "messages",
  "model",
  "model_name",
  "models",
  "n",
  "options",
  "outputDimensionality",
  "output_dimension",
  "parameters",
  "plugins",
  "previous_interaction_id",
  "previous_response_id",
  "prompt",
  "query",
  "rank_fields",
  "req_key",
  "requests",
  "return_documents",
  "route",
  "search_parameters",
  "seconds",
  "service_tier",
  "size",
  "speed",
  "store",
  "stream",
  "stream_format",
  "stream_options",
  "system",
  "taskType",
  "task_id",
  "texts",
  "think",
  "title",
  "tools",
  "top_k",
  "top_n",
  "usage",
  "voice",
  "web_search_options",
];

/**
 * Further members that decide the action or cost of a call, which only vendors read or only vendors' wires have. A test
 * compares them with `reasoningMembers`.
 */
const vendorMembers: readonly string[] = [
  "system_instruction",
  "inferenceConfig",
  "toolConfig",
  "additionalModelRequestFields",
  "inputs",
  "instances",
  "tool_choice",
  "functions",
  "reasoning",
  "reasoning_effort",
  "thinking",
  "enable_thinking",
  "thinking_budget",
  "output_config",
  "extra_body",
  "cache_control",
  "prompt_cache_retention",
  "context_management",
  "prediction",
  "modalities",
  "quality",
  "resolution",
  "aspect_ratio",
  "ratio",
  "mode",
  "width",
  "height",
  "generate_audio",
  "inference_geo",
  "num_images",
  "sampleCount",
  "max_tokens_to_sample",
  "audio",
];

/** Members from which vendors of videos read a size. The size changes the price. */
const videoMembers: readonly string[] = ["metadata"];

/** Names that a channel cannot set, as returned by `foldName`. */
const reserved: ReadonlySet<string> = new Set([...wireMembers, ...vendorMembers].map(foldName));
/** Further names that a channel of a video model cannot set. */
const reservedForVideo: ReadonlySet<string> = new Set(videoMembers.map(foldName));

/** Returns a name in lower case without underscores, because vendors accept `max_tokens` and `maxTokens`. */
function foldName(name: string): string {
  return name.toLowerCase().replaceAll("_", "");
}

/** Returns whether a channel cannot set a member, because it decides the action or cost of a call. */
export function isReservedMember(name: string, isForVideo: boolean): boolean {
  return reserved.has(foldName(name)) || (isForVideo && reservedForVideo.has(foldName(name)));
}

/** Lists the members of `defaults` and `force` that a channel cannot set. */
export function memberProblems(
  { defaults = {}, force = {}, models: served }: Partial<Pick<ChannelConfiguration, "defaults" | "force" | "models">>,
  models: Configuration["models"] = {},
): readonly ConfigurationProblem[] {
  const names = served === "*" ? Object.keys(models) : Array.isArray(served) ? served : Object.keys(served ?? {});
  const isForVideo = names.some((name) => models[name]?.kind === "video");
  return Object.entries({ defaults, force }).flatMap(([list, members]) =>
    Object.keys(members)
      .filter((name) => isReservedMember(name, isForVideo))
      .map((name) => ({
        path: `${list}.${name}`,
        message: "cannot be set by a channel: it decides what a call does or what it costs",
      })),
  );
}
