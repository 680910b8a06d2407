import {
  anything,
  anyNumber,
  anyObject,
  anyText,
  base64,
  closed,
  closedOrNull,
  either,
  filledText,
  flag,
  integer,
  list,
  number,
  oneOf,
  orNull,
  record,
  tagged,
  type Shape,
} from "../../checks/shape.ts";
import {
  cacheRetention,
  effort,
  fileData,
  imageUrl,
  jsonSchemaFields,
  metadata,
  serviceTier,
  streamOptions,
  toolName,
  verbosity,
} from "../shapes.ts";

const type = anyText;
const cacheCut = { prompt_cache_breakpoint: anyObject };
const textPart = closed({ type, text: anyText }, cacheCut);
const textContent = either(anyText, list(tagged("type", { text: textPart }), { least: 1 }));
const userContent = either(
  anyText,
  list(
    tagged("type", {
      text: textPart,
      image_url: closed(
        { type, image_url: closed({ url: imageUrl }, { detail: oneOf("auto", "low", "high", "original") }) },
        cacheCut,
      ),
      input_audio: closed({ type, input_audio: closed({ data: base64, format: oneOf("wav", "mp3") }) }, cacheCut),
      file: closed({ type, file: closed({}, { filename: anyText, file_data: fileData, file_id: anyText }) }, cacheCut),
    }),
    { least: 1 },
  ),
);
const assistantContent = either(
  anyText,
  list(tagged("type", { text: textPart, refusal: closed({ type, refusal: anyText }) }), { least: 1 }),
);
const called = tagged("type", {
  function: closed({ id: filledText, type, function: closed({ name: toolName, arguments: anyText }) }),
  custom: closed({ id: filledText, type, custom: closed({ name: toolName, input: anyText }) }),
});

const role = anyText;
const message = tagged("role", {
  system: closed({ role, content: textContent }, { name: anyText }),
  developer: closed({ role, content: textContent }, { name: anyText }),
  user: closed({ role, content: userContent }, { name: anyText }),
  assistant: closedOrNull(
    { role },
    {
      content: assistantContent,
      name: anyText,
      refusal: anyText,
      annotations: list(anyObject),
      audio: closed({ id: anyText }),
      tool_calls: list(called, { least: 1 }),
      function_call: closed({ name: toolName, arguments: anyText }),
      reasoning_content: anyText,
    },
  ),
  // The name is documented for others only, and taken here too: some clients write it.
  tool: closed({ role, content: textContent, tool_call_id: filledText }, { name: anyText }),
  function: closed({ role, name: toolName, content: orNull(anyText) }),
});

const functionFields = closedOrNull({ name: toolName }, { description: anyText, parameters: anyObject, strict: flag });
const tool = tagged("type", {
  function: closed({ type, function: functionFields }),
  custom: closed({ type, custom: closedOrNull({ name: toolName }, { description: anyText, format: anyObject }) }),
});
const named = closed({ name: toolName });
const toolChoice = either(
  oneOf("none", "auto", "required"),
  tagged("type", {
    function: closed({ type, function: named }),
    custom: closed({ type, custom: named }),
    allowed_tools: closed({
      type,
      allowed_tools: closed({ mode: oneOf("auto", "required"), tools: list(anyObject, { least: 1 }) }),
    }),
  }),
);
const responseFormat = tagged("type", {
  text: closed({ type }),
  json_object: closed({ type }),
  json_schema: closed({
    type,
    json_schema: closedOrNull({ name: toolName }, { schema: anyObject, ...jsonSchemaFields.optional }),
  }),
});

/** A chat request, every field of it; null stands for an optional field that is absent. */
export const chatShape: Shape = closedOrNull(
  { model: filledText, messages: list(message, { least: 1 }) },
  {
    stream: flag,
    stream_options: streamOptions,
    max_tokens: integer(1),
    max_completion_tokens: integer(1),
    temperature: number(0, 2),
    top_p: number(0, 1),
    presence_penalty: number(-2, 2),
    frequency_penalty: number(-2, 2),
    n: integer(1, 128),
    stop: either(anyText, list(anyText, { most: 4 })),
    seed: integer(-Number.MAX_VALUE),
    user: anyText,
    metadata,
    store: flag,
    service_tier: serviceTier,
    safety_identifier: anyText,
    verbosity,
    top_k: integer(1),
    logprobs: flag,
    top_logprobs: integer(0, 20),
    logit_bias: record(anyNumber),
    response_format: responseFormat,
    tools: list(tool, { least: 1, most: 128 }),
    tool_choice: toolChoice,
    parallel_tool_calls: flag,
    functions: list(functionFields, { least: 1, most: 128 }),
    function_call: either(oneOf("none", "auto"), named),
    reasoning_effort: effort,
    modalities: list(oneOf("text", "audio", "image"), { least: 1 }),
    image_config: anyObject,
    audio: anyObject,
    prediction: closed({ type: oneOf("content"), content: textContent }),
    web_search_options: anyObject,
    moderation: anyObject,
    prompt_cache_key: anyText,
    prompt_cache_retention: cacheRetention,
    prompt_cache_options: anyObject,
    // Stands for whatever no vendor knows: a test of what a gateway passes on needs a field that is taken.
    unknown_field: anything,
  },
);
