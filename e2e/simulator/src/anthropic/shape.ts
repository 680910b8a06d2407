import { textAt } from "../checks/members.ts";
import {
  anyObject,
  anyText,
  closed,
  either,
  filledText,
  flag,
  integer,
  list,
  number,
  oneOf,
  orNull,
  tagged,
  text,
  type Shape,
} from "../checks/shape.ts";
import { cacheControl, message, textBlock, toolName } from "./block-shapes.ts";

const type = anyText;
const display = orNull(oneOf("summarized", "omitted"));
const thinking = tagged("type", {
  enabled: closed({ type, budget_tokens: integer(1_024) }, { display }),
  adaptive: closed({ type }, { display }),
  between_tools: closed({ type }),
  disabled: closed({ type }),
});

const serverTool = text(
  /^(?:web_search|web_fetch|bash|browser_toolset|computer_toolset|text_editor|computer|memory|code_execution|tool_search_tool_\w+)_\d{8}$/,
  "a kind of tool that the vendor knows",
);
const customTool = closed(
  { name: toolName, input_schema: schemaOfObject },
  {
    type: orNull(oneOf("custom")),
    description: anyText,
    cache_control: cacheControl,
    strict: flag,
    eager_input_streaming: orNull(flag),
    defer_loading: flag,
    allowed_callers: list(anyText),
    input_examples: list(anyObject),
  },
);
const tool: Shape = (value, path) => {
  const kind = textAt(value, "type");
  return kind === undefined || kind === "custom" ? customTool(value, path) : serverTool(kind, [...path, "type"]);
};

function schemaOfObject(value: unknown, path: readonly (string | number)[]): ReturnType<Shape> {
  const wrong = anyObject(value, path);
  if (wrong !== undefined) return wrong;
  const here = [...path, "type"];
  return textAt(value, "type") === "object" ? undefined : { path: here, problem: "value", expected: "object" };
}

const oneAtATime = { disable_parallel_tool_use: flag };
const toolChoice = tagged("type", {
  auto: closed({ type }, oneAtATime),
  any: closed({ type }, oneAtATime),
  tool: closed({ type, name: toolName }, oneAtATime),
  none: closed({ type }),
});

const required = { model: filledText, messages: list(message, { least: 1 }) };
const counted = {
  system: either(anyText, list(textBlock)),
  tools: list(tool),
  tool_choice: toolChoice,
  thinking,
  output_config: closed(
    {},
    {
      effort: orNull(oneOf("low", "medium", "high", "xhigh", "max")),
      format: orNull(closed({ type: oneOf("json_schema"), schema: anyObject })),
    },
  ),
  cache_control: cacheControl,
  user_profile_id: anyText,
  workspace_id: anyText,
  speed: orNull(oneOf("standard", "fast")),
};

/** A request for a message, every field of it. */
export const messagesShape: Shape = closed(
  { ...required, max_tokens: integer(1) },
  {
    ...counted,
    stream: flag,
    temperature: number(0, 1),
    top_p: number(0, 1),
    top_k: integer(0),
    stop_sequences: list(filledText),
    metadata: closed({}, { user_id: orNull(anyText) }),
    service_tier: oneOf("auto", "standard_only"),
    container: orNull(either(anyText, anyObject)),
    inference_geo: orNull(anyText),
    context_management: orNull(anyObject),
    diagnostics: orNull(closed({}, { previous_message_id: orNull(anyText) })),
  },
);

/** A request to count its tokens. */
export const countShape: Shape = closed(required, counted);
