import { Shapes } from "../../checks/notation.ts";

const requests = new Shapes(
  String.raw`
  Resolution = "low" | "medium" | "high" | "ultra_high";
  Text = { type: "text", text: string, annotations?: object[] };
  Media =
    | { type: "image" | "video", data?: base64, uri?: filled, mime_type?: filled, resolution?: Resolution }
    | { type: "audio" | "document", data?: base64, uri?: filled, mime_type?: filled };
  Content = Text | Media;
  Contents = string | Content | Content[];
  Step =
    | { type: "user_input", content: Contents }
    | { type: "model_output", content?: Contents, error?: object }
    | { type: "thought", signature: filled, summary?: Content[] }
    | { type: "function_call", id: filled, name: filled, arguments: object }
    | { type: "function_result", call_id: filled, name?: string, result: string | Content[] | object, is_error?: boolean }
    | { type: "google_search_call" | "url_context_call" | "code_execution_call", id: filled, arguments?: object, signature?: string }
    | { type: "google_search_result" | "url_context_result" | "code_execution_result", call_id: filled, result: any, signature?: string };
  Tool =
    | { type: "function", name: /^[a-zA-Z_][\w.:-]{0,63}$/ "a name of a function", description?: string, parameters?: object }
    | { type: "google_search", search_types?: string[] }
    | { type: "google_maps" | "url_context" | "code_execution" | "computer_use" | "file_search" | "mcp_server" | "retrieval", ... };
  Mode = "auto" | "any" | "none" | "validated";
  GenerationConfig = nullable<{
    max_output_tokens?: integer(1), seed?: integer, stop_sequences?: filled[0..5], temperature?: number(0, 2),
    top_p?: number(0, 1), thinking_level?: "minimal" | "low" | "medium" | "high" | "xhigh",
    thinking_summaries?: "auto" | "none", tool_choice?: Mode | { allowed_tools: { mode?: Mode, tools?: string[] } },
    speech_config?: object[] | object, image_config?: object, transcription_config?: object, video_config?: object
  }>;
  Format =
    | { type: "text", mime_type?: "text/plain" | "application/json", schema?: object }
    | { type: "image", mime_type?: string, aspect_ratio?: string, image_size?: string, delivery?: string }
    | { type: "audio", mime_type?: string, bit_rate?: integer, sample_rate?: integer, delivery?: string };
  Interaction = nullable<{
    model?: filled, agent?: filled, agent_config?: object, input: string | Content | Content[1..] | Step[1..],
    system_instruction?: string, tools?: Tool[], generation_config?: GenerationConfig, response_format?: Format | Format[],
    response_modalities?: string[], response_mime_type?: string, stream?: boolean, background?: boolean, store?: boolean,
    previous_interaction_id?: filled, service_tier?: "flex" | "standard" | "priority" | "deferred",
    labels?: record<string>, environment?: any, safety_settings?: object[], continuation_token?: string,
    webhook_config?: object, cached_content?: string
  }>;
`,
);

export const interactionShape = requests.of("Interaction");
