import { Shapes } from "../../checks/notation.ts";
import { sharedShapes } from "../shapes.ts";

const requests = new Shapes(
  String.raw`
  Status = "in_progress" | "completed" | "incomplete";
  CacheCut = { prompt_cache_breakpoint?: object };
  InputPart =
    | { type: "input_text", text: string, ...CacheCut }
    | nullable<{
        type: "input_image", image_url?: ImageUrl, file_id?: string, detail?: "low" | "high" | "auto" | "original", ...CacheCut
      }>
    | nullable<{
        type: "input_file", file_data?: FileData, file_url?: string, file_id?: string, filename?: string,
        detail?: string, ...CacheCut
      }>
    | { type: "input_audio", input_audio: InputAudio };
  OutputPart =
    | { type: "output_text", text: string, annotations?: object[], logprobs?: object[] }
    | { type: "refusal", refusal: string };
  MessageId = /^msg/ "an id that begins with msg";
  // The type may be absent from a message and from a reference.
  Message =
    | nullable<{
        type?: "message", role: "user" | "system" | "developer", content: string | InputPart[1..], id?: MessageId,
        status?: Status
      }>
    | nullable<{
        type?: "message", role: "assistant", content: string | OutputPart[1..], id?: MessageId, status?: Status,
        phase?: "commentary" | "final_answer"
      }>;
  Reference = nullable<{ type?: "item_reference", id: filled }>;
  CallId = /^fc/ "an id that begins with fc";
  CustomId = /^ctc/ "an id that begins with ctc";
  Output = string | InputPart[];
  Item =
    | Message | Reference
    | nullable<{
        type: "function_call", call_id: filled, name: ToolName, arguments: string, id?: CallId, status?: Status,
        namespace?: string, async?: boolean, caller?: object
      }>
    | nullable<{ type: "function_call_output", call_id: filled, output: Output, id?: CallId, status?: Status }>
    | nullable<{
        type: "custom_tool_call", call_id: filled, name: ToolName, input: string, id?: CustomId, status?: Status,
        namespace?: string, caller?: object
      }>
    | nullable<{ type: "custom_tool_call_output", call_id: filled, output: Output, id?: CustomId, status?: Status }>
    // The official types require an id. The vendor accepts items without one if they have encrypted content, and its
    // CLI sends such items.
    | nullable<{
        type: "reasoning", summary: { type: "summary_text", text: string }[], id?: /^rs/ "an id that begins with rs",
        content?: { type: "reasoning_text", text: string }[], encrypted_content?: string, status?: Status
      }>
    | nullable<{ type: "compaction", encrypted_content: filled, id?: string }>
    | { type: "compaction_trigger" }
    // Items of tools that the vendor runs. The vendor accepts all items that it has sent.
    | {
        type: "web_search_call" | "file_search_call" | "image_generation_call" | "code_interpreter_call"
          | "computer_call" | "computer_call_output" | "local_shell_call" | "local_shell_call_output" | "shell_call"
          | "shell_call_output" | "apply_patch_call" | "apply_patch_call_output" | "mcp_list_tools" | "mcp_call"
          | "mcp_approval_request" | "mcp_approval_response" | "tool_search_call" | "tool_search_output"
          | "additional_tools" | "configuration_update" | "program" | "program_output", ...
      };

  // Tools that the vendor runs; their settings are not checked.
  VendorTool = {
    type: "web_search" | "web_search_preview" | "web_search_2025_08_26" | "web_search_preview_2025_03_11"
      | "file_search" | "code_interpreter" | "image_generation" | "mcp" | "computer" | "computer_use_preview"
      | "local_shell" | "shell" | "apply_patch" | "tool_search" | "programmatic_tool_calling", ...
  };
  Tool =
    | nullable<{ type: "function", name: ToolName, description?: string, parameters?: object, strict?: boolean }>
    | nullable<{ type: "custom", name: ToolName, description?: string, format?: object }>
    | nullable<{ type: "namespace", name: ToolName, tools: object[1..], description?: string }>
    | VendorTool;
  ToolChoice =
    | "none" | "auto" | "required"
    | { type: "function" | "custom", name: ToolName }
    | { type: "allowed_tools", mode: "auto" | "required", tools: object[1..] }
    | VendorTool;
  Format =
    | { type: "text" | "json_object" }
    | nullable<{ type: "json_schema", name: ToolName, schema: object, description?: string, strict?: boolean }>;
  Summary = "auto" | "concise" | "detailed";
  Includable =
    | "file_search_call.results" | "web_search_call.results" | "web_search_call.action.sources"
    | "message.input_image.image_url" | "computer_call_output.output.image_url" | "code_interpreter_call.outputs"
    | "reasoning.encrypted_content" | "message.output_text.logprobs";

  Compact = nullable<{
    model: filled, input?: string | Item[1..], instructions?: string, previous_response_id?: string,
    service_tier?: ServiceTier, image?: object, ...Cached
  }>;
  Responses = nullable<{
    ...Compact, conversation?: string | object, stream?: boolean, stream_options?: StreamOptions, background?: boolean,
    store?: boolean,
    // The vendor's minimum is sixteen.
    max_output_tokens?: integer(16), max_tool_calls?: integer(1), temperature?: number(0, 2), top_p?: number(0, 1),
    top_logprobs?: integer(0, 20), truncation?: "auto" | "disabled",
    reasoning?: nullable<{
      effort?: Effort, summary?: Summary, generate_summary?: Summary, context?: "auto" | "current_turn" | "all_turns",
      mode?: string
    }>,
    text?: nullable<{ format?: Format, verbosity?: Verbosity }>, tools?: Tool[0..128], tool_choice?: ToolChoice,
    parallel_tool_calls?: boolean, include?: Includable[], metadata?: record<string>, user?: string,
    safety_identifier?: string, prompt?: object, access_programs?: object, client_metadata?: object, moderation?: object,
    context_management?: nullable<{ type: "compaction", compact_threshold?: integer(1000) }>[]
  }>;
`,
  { base: sharedShapes },
);

/** Shape of a request for a response. Optional members may be null. */
export const responsesShape = requests.of("Responses");

export const compactShape = requests.of("Compact");
