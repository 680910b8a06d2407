import { Shapes } from "../../checks/notation.ts";
import { sharedShapes } from "../shapes.ts";

/** Shape of a chat request. Optional members may be null. */
export const chatShape = new Shapes(
  `
  CacheCut = { prompt_cache_breakpoint?: object };
  Text = { type: "text", text: string, ...CacheCut };
  Words = string | Text[1..];
  Detail = "auto" | "low" | "high" | "original";
  UserPart =
    | Text
    | { type: "image_url", image_url: { url: ImageUrl, detail?: Detail }, ...CacheCut }
    | { type: "input_audio", input_audio: InputAudio, ...CacheCut }
    | { type: "file", file: { filename?: string, file_data?: FileData, file_id?: string }, ...CacheCut };
  Call =
    | { type: "function", id: filled, function: { name: ToolName, arguments: string } }
    | { type: "custom", id: filled, custom: { name: ToolName, input: string } };
  Message =
    | { role: "system" | "developer", content: Words, name?: string }
    | { role: "user", content: string | UserPart[1..], name?: string }
    | nullable<{
        role: "assistant", content?: string | (Text | { type: "refusal", refusal: string })[1..], name?: string,
        refusal?: string, annotations?: object[], audio?: { id: string }, tool_calls?: Call[1..],
        function_call?: { name: ToolName, arguments: string }, reasoning_content?: string
      }>
    // The name is documented for other roles only, but accepted here, because some clients send it.
    | { role: "tool", content: Words, tool_call_id: filled, name?: string }
    | { role: "function", name: ToolName, content: string | null };
  Function = nullable<{ name: ToolName, description?: string, parameters?: object, strict?: boolean }>;
  Custom = nullable<{ name: ToolName, description?: string, format?: object }>;
  Tool = { type: "function", function: Function } | { type: "custom", custom: Custom };
  Named = { name: ToolName };
  ToolChoice =
    | "none" | "auto" | "required"
    | { type: "function", function: Named }
    | { type: "custom", custom: Named }
    | { type: "allowed_tools", allowed_tools: { mode: "auto" | "required", tools: object[1..] } };
  ChatJsonSchema = nullable<{ name: ToolName, schema?: object, description?: string, strict?: boolean }>;
  ResponseFormat = { type: "text" | "json_object" } | { type: "json_schema", json_schema: ChatJsonSchema };
  Chat = nullable<{
    model: filled, messages: Message[1..], stream?: boolean, stream_options?: StreamOptions, max_tokens?: integer(1),
    max_completion_tokens?: integer(1), temperature?: number(0, 2), top_p?: number(0, 1), ...Penalties,
    n?: integer(1, 128), stop?: Stop, seed?: integer, user?: string, metadata?: record<string>, store?: boolean,
    service_tier?: ServiceTier, safety_identifier?: string, verbosity?: Verbosity, top_k?: integer(1), logprobs?: boolean,
    top_logprobs?: integer(0, 20), logit_bias?: record<number>, response_format?: ResponseFormat, tools?: Tool[1..128],
    tool_choice?: ToolChoice, parallel_tool_calls?: boolean, functions?: Function[1..128],
    function_call?: "none" | "auto" | Named, reasoning_effort?: Effort, modalities?: ("text" | "audio" | "image")[1..],
    image_config?: object, audio?: object, prediction?: { type: "content", content: Words }, web_search_options?: object,
    moderation?: object, ...Cached,
    // Field that no real vendor knows, for tests of fields that a gateway passes on.
    unknown_field?: any
  }>;
`,
  { base: sharedShapes },
).of("Chat");
