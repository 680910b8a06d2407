import { Shapes } from "../checks/notation.ts";

/** Shape of a Converse request. */
export const converseShape = new Shapes(String.raw`
  Bytes = { bytes: base64 };
  Id = /^[\w-]{1,64}$/ "1 to 64 letters, digits, underscores or hyphens";
  Words = { text: filled };
  Media =
    | { image: { format: "png" | "jpeg" | "gif" | "webp", source: Bytes } }
    | { video: { format: "mkv" | "mov" | "mp4" | "webm" | "flv" | "mpeg" | "mpg" | "wmv" | "three_gp", source: Bytes } }
    | { document: {
        name: /^(?!.*\s\s)[\p{L}\p{N}\s()[\]-]{1,200}$/u "letters, digits, single spaces, hyphens and brackets",
        source: Bytes | { text: string },
        format?: "pdf" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "html" | "txt" | "md",
        context?: string, citations?: { enabled: boolean }
      } };
  CachePoint = { cachePoint: { type: "default", ttl?: "5m" | "1h" } };
  ToolResult = { toolUseId: Id, content: (Words | { json: object } | Media)[], status?: "success" | "error" };
  Reasoning = { reasoningText: { text: string, signature?: string } } | { redactedContent: base64 };
  Block =
    | Words | Media | { toolUse: { toolUseId: Id, name: Id, input: object } } | { toolResult: ToolResult }
    | { reasoningContent: Reasoning } | CachePoint;
  ToolSpec = { name: Id, inputSchema: { json: object }, description?: filled, strict?: boolean };
  JsonSchema = { schema: filled, name?: string, description?: string };
  Converse = {
    messages: { role: "user" | "assistant", content: Block[1..] }[1..],
    system?: (Words | CachePoint)[],
    inferenceConfig?: { maxTokens?: integer(1), temperature?: number(0, 1), topP?: number(0, 1), stopSequences?: filled[] },
    toolConfig?: {
      tools: ({ toolSpec: ToolSpec } | CachePoint)[1..],
      toolChoice?: { auto: {} } | { any: {} } | { tool: { name: Id } }
    },
    outputConfig?: { textFormat: { type: "json_schema", structure: { jsonSchema: JsonSchema } } },
    additionalModelRequestFields?: record<any>,
    additionalModelResponseFieldPaths?: (/^\// "a path in JSON")[],
    serviceTier?: { type: "default" | "flex" | "priority" | "reserved" },
    requestMetadata?: record<string>, guardrailConfig?: object, performanceConfig?: object
  };
`).of("Converse");
