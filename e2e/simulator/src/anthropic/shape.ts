import { textAt } from "../checks/members.ts";
import { Shapes } from "../checks/notation.ts";
import type { Shape } from "../checks/shape.ts";

const blocks = new Shapes(String.raw`
  // Position at which the prompt's cached beginning may end.
  CacheControl = { type: "ephemeral", ttl?: "5m" | "1h" } | null;
  ToolName = /^[\w-]{1,128}$/ "1 to 128 letters, digits, underscores or hyphens";
  ToolUseId = /^[\w-]+$/ "an id of letters, digits, underscores and hyphens";
  WebAddress = /^https?:\/\/\S+$/ "an address on the web";

  Text = { type: "text", text: filled, cache_control?: CacheControl, citations?: object[] | null };
  FileSource = { type: "url", url: WebAddress } | { type: "file", file_id: filled };
  ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";
  ImageSource = { type: "base64", media_type: ImageType, data: base64 } | FileSource;
  Image = { type: "image", source: ImageSource, cache_control?: CacheControl };
  DocumentSource =
    | { type: "base64", media_type: "application/pdf", data: base64 }
    | { type: "text", media_type: "text/plain", data: string }
    | { type: "content", content: string | (Text | Image)[] }
    | FileSource;
  Document = {
    type: "document", source: DocumentSource, cache_control?: CacheControl, title?: string | null,
    context?: string | null, citations?: { enabled?: boolean } | null
  };
  SearchResult = {
    type: "search_result", source: filled, title: filled, content: Text[1..],
    cache_control?: CacheControl, citations?: object
  };
  ToolResult = {
    type: "tool_result", tool_use_id: ToolUseId, content?: string | (Text | Image | Document | SearchResult)[],
    is_error?: boolean, toolset_name?: string | null, cache_control?: CacheControl
  };
  ServerBlock = {
    type: "server_tool_use" | "web_search_tool_result" | "web_fetch_tool_result" | "code_execution_tool_result"
      | "bash_code_execution_tool_result" | "text_editor_code_execution_tool_result" | "tool_search_tool_result"
      | "container_upload", ...
  };
  ToolUse = {
    type: "tool_use", id: ToolUseId, name: ToolName, input: object,
    cache_control?: CacheControl, caller?: object, toolset_name?: string | null
  };
  Thinking = { type: "thinking", thinking: string, signature: string } | { type: "redacted_thinking", data: string };
  UserBlock = Text | Image | Document | SearchResult | ToolResult | ServerBlock;
  AssistantBlock = Text | Document | ToolUse | Thinking | ServerBlock;
  Message =
    | { role: "user", content: filled | UserBlock[1..] }
    | { role: "assistant", content: filled | AssistantBlock[1..] }
    | { role: "system", content: filled | Text[1..] };
  CustomTool = {
    type?: "custom" | null, name: ToolName, input_schema: { type: "object", ... }, description?: string,
    cache_control?: CacheControl, strict?: boolean, eager_input_streaming?: boolean | null, defer_loading?: boolean,
    allowed_callers?: string[], input_examples?: object[]
  };
`);

const customTool = blocks.of("CustomTool");
/** Shape of a tool. Checks only custom tools; `requireKnownTools` checks the others. */
const Tool: Shape = (value, path) =>
  (textAt(value, "type") ?? "custom") === "custom" ? customTool(value, path) : undefined;

const requests = new Shapes(
  `
  Display = "summarized" | "omitted" | null;
  Binding = { prefix_mismatch_behavior?: "error" | "drop_block" | null } | null;
  ThinkingConfig =
    | { type: "enabled", budget_tokens: integer(1024), display?: Display, block_binding?: Binding }
    | { type: "adaptive", display?: Display, block_binding?: Binding }
    | { type: "between_tools" | "disabled" };
  ToolChoice =
    | { type: "auto" | "any", disable_parallel_tool_use?: boolean }
    | { type: "tool", name: ToolName, disable_parallel_tool_use?: boolean }
    | { type: "none" };
  Count = {
    model: filled, messages: Message[1..], system?: string | Text[], tools?: Tool[], tool_choice?: ToolChoice,
    thinking?: ThinkingConfig,
    output_config?: {
      effort?: "low" | "medium" | "high" | "xhigh" | "max" | null,
      format?: { type: "json_schema", schema: object } | null
    },
    cache_control?: CacheControl, user_profile_id?: string, workspace_id?: string, speed?: "standard" | "fast" | null
  };
  Messages = {
    ...Count, max_tokens: integer(0), stream?: boolean, temperature?: number(0, 1), top_p?: number(0, 1),
    top_k?: integer(0), stop_sequences?: filled[], metadata?: { user_id?: string | null },
    service_tier?: "auto" | "standard_only", container?: string | object | null, inference_geo?: string | null,
    context_management?: object | null, diagnostics?: { previous_message_id?: string | null } | null
  };
`,
  { base: blocks, more: { Tool } },
);

export const messagesShape = requests.of("Messages");

export const countShape = requests.of("Count");
