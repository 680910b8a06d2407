import { Shapes } from "../../checks/notation.ts";
import { sharedShapes } from "../shapes.ts";

export const clientEvent = new Shapes(
  `
  Format = { type: "audio/pcm", rate?: integer(24000, 24000) } | { type: "audio/pcmu" | "audio/pcma" };
  TurnDetection =
    | nullable<{
        type: "server_vad", threshold?: number(0, 1), prefix_padding_ms?: integer(0), silence_duration_ms?: integer(0),
        create_response?: boolean, interrupt_response?: boolean, idle_timeout_ms?: integer(0)
      }>
    | {
        type: "semantic_vad", eagerness?: "low" | "medium" | "high" | "auto", create_response?: boolean,
        interrupt_response?: boolean
      };
  Audio = {
    input?: {
      format?: Format, transcription?: { model?: filled, language?: string, prompt?: string } | null,
      noise_reduction?: { type: "near_field" | "far_field" } | null, turn_detection?: TurnDetection | null
    },
    output?: { format?: Format, voice?: filled | object, speed?: number(0.25, 1.5) }
  };
  Tool =
    | { type: "function", name: ToolName, description?: string, parameters?: object }
    | { type: "mcp", ... };
  Wishes = {
    instructions?: string, output_modalities?: ("text" | "audio")[1..1], tools?: Tool[],
    tool_choice?: "none" | "auto" | "required" | { type: "function" | "mcp", name?: string },
    max_output_tokens?: "inf" | integer(1, 4096), parallel_tool_calls?: boolean, reasoning?: object, prompt?: object
  };
  // In the current form; the older, flat form is refused.
  Session =
    | nullable<{
        type: "realtime", model?: filled, audio?: Audio, ...Wishes, tracing?: "auto" | object,
        truncation?: "auto" | "disabled" | object, include?: string[]
      }>
    | nullable<{ type: "transcription", audio?: Audio, include?: string[] }>;
  Part =
    | { type: "input_text" | "output_text", text: string }
    | { type: "input_audio", audio: base64, transcript?: string }
    | { type: "input_image", image_url: filled, detail?: string }
    | { type: "output_audio", audio?: base64, transcript?: string };
  ItemNames = { id?: filled, object?: "realtime.item", status?: string };
  Item =
    | { type: "message", role: "system" | "user" | "assistant", content: Part[1..], ...ItemNames }
    | { type: "function_call", name: ToolName, arguments: string, call_id?: filled, ...ItemNames }
    | { type: "function_call_output", call_id: filled, output: string, ...ItemNames };
  Response = nullable<{
    ...Wishes, audio?: object, metadata?: object, conversation?: "auto" | "none", input?: object[]
  }>;
  Id = { event_id?: string };
  Event =
    | { type: "session.update", session: Session, ...Id }
    | { type: "input_audio_buffer.append", audio: base64, ...Id }
    | { type: "input_audio_buffer.commit" | "input_audio_buffer.clear", ...Id }
    | { type: "conversation.item.create", item: Item, previous_item_id?: string, ...Id }
    | { type: "conversation.item.retrieve" | "conversation.item.delete", item_id: filled, ...Id }
    | {
        type: "conversation.item.truncate", item_id: filled, content_index: integer(0), audio_end_ms: integer(0), ...Id
      }
    | { type: "response.create", response?: Response, ...Id }
    | { type: "response.cancel", response_id?: string, ...Id };
`,
  { base: sharedShapes },
).of("Event");
