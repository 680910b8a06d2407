import {
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
  tagged,
  type Shape,
} from "../../checks/shape.ts";
import { toolName } from "../shapes.ts";

const type = anyText;
const eventId = { event_id: anyText };

const format = tagged("type", {
  "audio/pcm": closed({ type }, { rate: integer(24_000, 24_000) }),
  "audio/pcmu": closed({ type }),
  "audio/pcma": closed({ type }),
});
const turnDetection = tagged("type", {
  server_vad: closedOrNull(
    { type },
    {
      threshold: number(0, 1),
      prefix_padding_ms: integer(0),
      silence_duration_ms: integer(0),
      create_response: flag,
      interrupt_response: flag,
      idle_timeout_ms: integer(0),
    },
  ),
  semantic_vad: closed(
    { type },
    { eagerness: oneOf("low", "medium", "high", "auto"), create_response: flag, interrupt_response: flag },
  ),
});
const audio = closed(
  {},
  {
    input: closed(
      {},
      {
        format,
        transcription: orNull(closed({}, { model: filledText, language: anyText, prompt: anyText })),
        noise_reduction: orNull(closed({ type: oneOf("near_field", "far_field") })),
        turn_detection: orNull(turnDetection),
      },
    ),
    output: closed({}, { format, voice: either(filledText, anyObject), speed: number(0.25, 1.5) }),
  },
);
const tools = list(
  tagged("type", {
    function: closed({ type, name: toolName }, { description: anyText, parameters: anyObject }),
    mcp: anyObject,
  }),
);
const toolChoice = either(
  oneOf("none", "auto", "required"),
  closed({ type: oneOf("function", "mcp") }, { name: anyText }),
);
const maxTokens = either(oneOf("inf"), integer(1, 4_096));
const modalities = list(oneOf("text", "audio"), { least: 1, most: 1 });

/** A session's settings, in the form that models speak today; the older, flat one is refused. */
const session = tagged("type", {
  realtime: closedOrNull(
    { type },
    {
      model: filledText,
      instructions: anyText,
      output_modalities: modalities,
      audio,
      tools,
      tool_choice: toolChoice,
      max_output_tokens: maxTokens,
      parallel_tool_calls: flag,
      reasoning: anyObject,
      tracing: either(oneOf("auto"), anyObject),
      truncation: either(oneOf("auto", "disabled"), anyObject),
      prompt: anyObject,
      include: list(anyText),
    },
  ),
  transcription: closedOrNull({ type }, { audio, include: list(anyText) }),
});

const part = tagged("type", {
  input_text: closed({ type, text: anyText }),
  input_audio: closed({ type, audio: base64 }, { transcript: anyText }),
  input_image: closed({ type, image_url: filledText }, { detail: anyText }),
  output_text: closed({ type, text: anyText }),
  output_audio: closed({ type }, { audio: base64, transcript: anyText }),
});
const itemNames = { id: filledText, object: oneOf("realtime.item"), status: anyText };
const item = tagged("type", {
  message: closed({ type, role: oneOf("system", "user", "assistant"), content: list(part, { least: 1 }) }, itemNames),
  function_call: closed({ type, name: toolName, arguments: anyText }, { ...itemNames, call_id: filledText }),
  function_call_output: closed({ type, call_id: filledText, output: anyText }, itemNames),
});

const response = closedOrNull(
  {},
  {
    instructions: anyText,
    output_modalities: modalities,
    audio: anyObject,
    tools,
    tool_choice: toolChoice,
    max_output_tokens: maxTokens,
    metadata: anyObject,
    conversation: oneOf("auto", "none"),
    input: list(anyObject),
    parallel_tool_calls: flag,
    reasoning: anyObject,
    prompt: anyObject,
  },
);

/** Every event that a client may send. */
export const clientEvent: Shape = tagged("type", {
  "session.update": closed({ type, session }, eventId),
  "input_audio_buffer.append": closed({ type, audio: base64 }, eventId),
  "input_audio_buffer.commit": closed({ type }, eventId),
  "input_audio_buffer.clear": closed({ type }, eventId),
  "conversation.item.create": closed({ type, item }, { ...eventId, previous_item_id: anyText }),
  "conversation.item.retrieve": closed({ type, item_id: filledText }, eventId),
  "conversation.item.truncate": closed(
    { type, item_id: filledText, content_index: integer(0), audio_end_ms: integer(0) },
    eventId,
  ),
  "conversation.item.delete": closed({ type, item_id: filledText }, eventId),
  "response.create": closed({ type }, { ...eventId, response }),
  "response.cancel": closed({ type }, { ...eventId, response_id: anyText }),
});
