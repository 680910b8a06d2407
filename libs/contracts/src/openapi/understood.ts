import type { BodyName } from "../bodies/index.ts";
import { understoodWithin, type Members } from "./understood-within.ts";

/**
 * Members of bodies that the gateway reads but does not check. `libs/wires/test/understood-members.test.ts` compares
 * this list with the wires.
 */
const understoodMembers: Readonly<Partial<Record<BodyName, Members>>> = {
  ChatRequest: {
    number: "temperature top_p top_k presence_penalty frequency_penalty seed",
    integer: "top_logprobs thinking_budget",
    boolean: "parallel_tool_calls logprobs store enable_thinking",
    string: "reasoning_effort verbosity prompt_cache_key prompt_cache_retention user safety_identifier service_tier",
    array: "tools functions modalities",
    object:
      "web_search_options response_format reasoning thinking logit_bias metadata prediction image_config audio stream_options usage prompt_cache_options",
    any: "tool_choice function_call stop",
  },
  ResponsesRequest: {
    number: "temperature top_p presence_penalty frequency_penalty",
    integer: "top_logprobs",
    boolean: "parallel_tool_calls background",
    string: "instructions truncation prompt_cache_key prompt_cache_retention user safety_identifier service_tier",
    array: "tools include",
    object: "prompt stream_options reasoning text metadata usage prompt_cache_options",
    any: "tool_choice conversation",
  },
  MessagesRequest: {
    number: "temperature top_p",
    integer: "top_k",
    string: "inference_geo service_tier",
    array: "mcp_servers tools stop_sequences",
    object: "cache_control compaction output_config output_format tool_choice thinking metadata usage",
    any: "container safeguards system",
  },
  CompletionsRequest: {
    number: "temperature top_p presence_penalty frequency_penalty seed",
    integer: "logprobs",
    boolean: "echo",
    string: "user suffix",
    object: "logit_bias stream_options usage",
    any: "stop",
  },
  GenerateContentRequest: {
    string: "model cachedContent",
    array: "tools safetySettings",
    object: "toolConfig",
    any: "systemInstruction",
  },
  InteractionRequest: {
    string: "system_instruction service_tier continuation_token cached_content response_mime_type",
    array: "tools response_modalities",
    object: "webhook_config",
    any: "environment response_format",
  },
  EmbeddingsRequest: { string: "input_type task" },
  EngineEmbeddingsRequest: { string: "input_type task" },
  EmbedContentRequest: { string: "model" },
  RerankRequest: { integer: "max_chunk_per_doc" },
  ImageRequest: { any: "images" },
  VideoRequest: { string: "size", any: "seconds" },
  VideoForm: { number: "seed", any: "duration n metadata" },
};

/** Adds the members that the gateway reads, but does not check, to a body's schema. */
export function withUnderstoodMembers(name: string, schema: object): object {
  const top: Members = Object.entries(understoodMembers).find(([body]) => body === name)?.[1] ?? {};
  const within = Object.entries(understoodWithin).find(([body]) => body === name)?.[1] ?? {};
  let described = withMembers(schema, [], top);
  for (const [path, members] of Object.entries(within))
    described = withMembers(described, path === "" ? [] : path.replaceAll("[]", ".[]").split("."), members);
  return described;
}

/**
 * Adds members to the schema at a path. `properties` and `items` next to an `anyOf` do not restrict values that are not
 * objects or arrays.
 */
function withMembers(schema: object, [step, ...rest]: readonly string[], members: Members): object {
  const properties = childOf(schema, "properties");
  if (step === undefined) {
    const all = propertiesOf(members);
    return Object.keys(all).length === 0 ? schema : { ...schema, properties: { ...all, ...properties } };
  }
  if (step === "[]") return { ...schema, items: withMembers(childOf(schema, "items"), rest, members) };
  return { ...schema, properties: { ...properties, [step]: withMembers(childOf(properties, step), rest, members) } };
}

function childOf(schema: object, name: string): object {
  const child: unknown = Object.entries(schema).find(([key]) => key === name)?.[1];
  return typeof child === "object" && child !== null ? child : {};
}

function propertiesOf(members: Members): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([type, names]) =>
      names.split(" ").map((member) => [member, type === "any" ? {} : { type: [type, "null"] }]),
    ),
  );
}
