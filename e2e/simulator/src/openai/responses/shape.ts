import {
  anyObject,
  anyText,
  closed,
  closedOrNull,
  either,
  filledText,
  flag,
  integer,
  list,
  number,
  oneOf,
  tagged,
  type Shape,
} from "../../checks/shape.ts";
import {
  cacheRetention,
  effort,
  jsonSchemaFields,
  metadata,
  serviceTier,
  streamOptions,
  toolName,
  verbosity,
} from "../shapes.ts";
import { inputItem } from "./item-shapes.ts";

const type = anyText;
/** Tools that run at the vendor: their settings are not looked into. */
const vendorTools = [
  "web_search",
  "web_search_preview",
  "web_search_2025_08_26",
  "web_search_preview_2025_03_11",
  "file_search",
  "code_interpreter",
  "image_generation",
  "mcp",
  "computer",
  "computer_use_preview",
  "local_shell",
  "shell",
  "apply_patch",
  "tool_search",
  "programmatic_tool_calling",
];
const anyTool = Object.fromEntries(vendorTools.map((name) => [name, anyObject]));
const tool = tagged("type", {
  function: closedOrNull({ type, name: toolName }, { description: anyText, parameters: anyObject, strict: flag }),
  custom: closedOrNull({ type, name: toolName }, { description: anyText, format: anyObject }),
  namespace: closedOrNull({ type, name: toolName, tools: list(anyObject, { least: 1 }) }, { description: anyText }),
  ...anyTool,
});
const toolChoice = either(
  oneOf("none", "auto", "required"),
  tagged("type", {
    function: closed({ type, name: toolName }),
    custom: closed({ type, name: toolName }),
    allowed_tools: closed({ type, mode: oneOf("auto", "required"), tools: list(anyObject, { least: 1 }) }),
    ...anyTool,
  }),
);
const format = tagged("type", {
  text: closed({ type }),
  json_object: closed({ type }),
  json_schema: closedOrNull({ type, ...jsonSchemaFields.required }, jsonSchemaFields.optional),
});
const summary = oneOf("auto", "concise", "detailed");
const includable = oneOf(
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
);

const input = either(anyText, list(inputItem, { least: 1 }));
const cached = { prompt_cache_key: anyText, prompt_cache_retention: cacheRetention, prompt_cache_options: anyObject };

/** A request to the responses endpoint, every field of it; null stands for an optional field that is absent. */
export const responsesShape: Shape = closedOrNull(
  { model: filledText },
  {
    input,
    instructions: anyText,
    previous_response_id: anyText,
    conversation: either(anyText, anyObject),
    stream: flag,
    stream_options: streamOptions,
    background: flag,
    store: flag,
    // The vendor takes no less than sixteen.
    max_output_tokens: integer(16),
    max_tool_calls: integer(1),
    temperature: number(0, 2),
    top_p: number(0, 1),
    top_logprobs: integer(0, 20),
    truncation: oneOf("auto", "disabled"),
    reasoning: closedOrNull(
      {},
      {
        effort,
        summary,
        generate_summary: summary,
        context: oneOf("auto", "current_turn", "all_turns"),
        mode: anyText,
      },
    ),
    text: closedOrNull({}, { format, verbosity }),
    tools: list(tool, { most: 128 }),
    tool_choice: toolChoice,
    parallel_tool_calls: flag,
    include: list(includable),
    metadata,
    user: anyText,
    safety_identifier: anyText,
    service_tier: serviceTier,
    prompt: anyObject,
    image: anyObject,
    access_programs: anyObject,
    client_metadata: anyObject,
    moderation: anyObject,
    context_management: list(closedOrNull({ type: oneOf("compaction") }, { compact_threshold: integer(1_000) })),
    ...cached,
  },
);

/** A request to compact a conversation. */
export const compactShape: Shape = closedOrNull(
  { model: filledText },
  {
    input,
    instructions: anyText,
    previous_response_id: anyText,
    service_tier: serviceTier,
    image: anyObject,
    ...cached,
  },
);
