import {
  anyObject,
  anyText,
  anything,
  base64,
  closed,
  either,
  filledText,
  flag,
  integer,
  list,
  number,
  oneOf,
  record,
  text,
  type Shape,
} from "../checks/shape.ts";

const bytes = closed({ bytes: base64 });
const image = closed({ format: oneOf("png", "jpeg", "gif", "webp"), source: bytes });
const video = closed({
  format: oneOf("mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"),
  source: bytes,
});
const document = closed(
  {
    name: text(/^(?!.*\s\s)[\p{L}\p{N}\s()[\]-]{1,200}$/u, "letters, digits, single spaces, hyphens and brackets"),
    source: either(bytes, closed({ text: anyText })),
  },
  {
    format: oneOf("pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"),
    context: anyText,
    citations: closed({ enabled: flag }),
  },
);
const cachePoint = closed({ cachePoint: closed({ type: oneOf("default") }, { ttl: oneOf("5m", "1h") }) });
const toolUseId = text(/^[\w-]{1,64}$/, "1 to 64 letters, digits, underscores or hyphens");
const toolName = text(/^[\w-]{1,64}$/, "1 to 64 letters, digits, underscores or hyphens");
const words = closed({ text: filledText });
const toolResult = closed(
  {
    toolUseId,
    content: list(
      either(words, closed({ json: anyObject }), closed({ image }), closed({ document }), closed({ video })),
    ),
  },
  { status: oneOf("success", "error") },
);
const reasoningContent = either(
  closed({ reasoningText: closed({ text: anyText }, { signature: anyText }) }),
  closed({ redactedContent: base64 }),
);
const block = either(
  words,
  closed({ image }),
  closed({ document }),
  closed({ video }),
  closed({ toolUse: closed({ toolUseId, name: toolName, input: anyObject }) }),
  closed({ toolResult }),
  closed({ reasoningContent }),
  cachePoint,
);
const toolSpec = closed(
  { name: toolName, inputSchema: closed({ json: anyObject }) },
  { description: filledText, strict: flag },
);
const jsonSchema = closed({ schema: filledText }, { name: anyText, description: anyText });

/** A request of Converse, every field of it. */
export const converseShape: Shape = closed(
  { messages: list(closed({ role: oneOf("user", "assistant"), content: list(block, { least: 1 }) }), { least: 1 }) },
  {
    system: list(either(words, cachePoint)),
    inferenceConfig: closed(
      {},
      { maxTokens: integer(1), temperature: number(0, 1), topP: number(0, 1), stopSequences: list(filledText) },
    ),
    toolConfig: closed(
      { tools: list(either(closed({ toolSpec }), cachePoint), { least: 1 }) },
      {
        toolChoice: either(
          closed({ auto: closed({}) }),
          closed({ any: closed({}) }),
          closed({ tool: closed({ name: toolName }) }),
        ),
      },
    ),
    outputConfig: closed({
      textFormat: closed({ type: oneOf("json_schema"), structure: closed({ jsonSchema }) }),
    }),
    additionalModelRequestFields: record(anything),
    additionalModelResponseFieldPaths: list(text(/^\//, "a path in JSON")),
    serviceTier: closed({ type: oneOf("default", "flex", "priority", "reserved") }),
    requestMetadata: record(anyText),
    guardrailConfig: anyObject,
    performanceConfig: anyObject,
  },
);
