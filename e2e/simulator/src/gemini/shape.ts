import { Shapes } from "../checks/notation.ts";
import type { Shape } from "../checks/shape.ts";

const payloads = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];

const parts = new Shapes(String.raw`
  FunctionName = /^[A-Za-z_][\w.:-]{0,63}$/ "a letter or underscore, and 63 letters, digits or _.:- at most";
  MimeType =
    /^(?:image\/(?:png|jpeg|webp|heic|heif)|(?:audio|video|text)\/[\w.+-]+|application\/(?:pdf|json|x-javascript|x-python))(?:;.*)?$/
    "a type that the model reads";
  PartFields = nullable<{
    text?: string, inlineData?: nullable<{ mimeType: MimeType, data: base64, displayName?: string }>,
    fileData?: nullable<{ fileUri: filled, mimeType?: string }>,
    functionCall?: nullable<{ name: FunctionName, args?: object, id?: string }>,
    functionResponse?: nullable<{
      name: FunctionName, response: object, id?: string, parts?: object[], willContinue?: boolean, scheduling?: string
    }>,
    executableCode?: object, codeExecutionResult?: object, thought?: boolean, thoughtSignature?: string,
    videoMetadata?: object, mediaResolution?: object, partMetadata?: object
  }>;
`);
const partFields = parts.of("PartFields");

const Part: Shape = (value, path) => {
  const wrong = partFields(value, path);
  if (wrong !== undefined) return wrong;
  const present = payloads.filter((name) => (Object(value)[name] ?? undefined) !== undefined);
  return present.length === 1 ? undefined : { path, problem: "value", expected: "a part that says exactly one thing" };
};

const requests = new Shapes(
  String.raw`
  Content = nullable<{ parts: Part[1..], role?: "user" | "model" | "function" }>;
  // 64-bit integers may be sent as strings.
  Count = integer(0) | /^\d+$/ "a whole number";
  // A subset of OpenAPI's schemas, without the rest of JSON Schema.
  Schema = nullable<{
    type?: "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT" | "NULL"
      | "string" | "number" | "integer" | "boolean" | "array" | "object" | "null",
    format?: string, title?: string, description?: string, nullable?: boolean, enum?: string[], items?: Schema,
    minItems?: Count, maxItems?: Count, properties?: record<Schema>, required?: string[], propertyOrdering?: string[],
    minProperties?: Count, maxProperties?: Count, minimum?: number, maximum?: number, minLength?: Count, maxLength?: Count,
    pattern?: string, example?: any, anyOf?: Schema[], default?: any
  }>;
  FunctionDeclaration = nullable<{
    name: FunctionName, description?: string, parameters?: Schema, parametersJsonSchema?: any, response?: object,
    responseJsonSchema?: any, behavior?: string
  }>;
  Tool = nullable<{
    functionDeclarations?: FunctionDeclaration[], googleSearch?: object, googleSearchRetrieval?: object,
    codeExecution?: object, urlContext?: object, googleMaps?: object, fileSearch?: object, computerUse?: object
  }>;
  ToolConfig = nullable<{
    functionCallingConfig?: nullable<{ mode?: "AUTO" | "ANY" | "NONE" | "VALIDATED", allowedFunctionNames?: string[] }>,
    retrievalConfig?: object, includeServerSideToolInvocations?: boolean
  }>;
  GenerationConfig = nullable<{
    temperature?: number(0, 2), topP?: number(0, 1), topK?: integer(1), candidateCount?: integer(1, 8),
    maxOutputTokens?: integer(1), stopSequences?: filled[0..5], seed?: integer(-2147483648, 2147483647),
    presencePenalty?: number(-2, 2), frequencyPenalty?: number(-2, 2),
    responseMimeType?: "text/plain" | "application/json" | "text/x.enum", responseSchema?: Schema,
    responseJsonSchema?: any, responseLogprobs?: boolean, logprobs?: integer(0, 20),
    responseModalities?: ("TEXT" | "IMAGE" | "AUDIO")[], speechConfig?: object, mediaResolution?: string,
    imageConfig?: nullable<{ aspectRatio?: /^\d+:\d+$/ "a ratio such as 16:9", imageSize?: "1K" | "2K" | "4K" }>,
    thinkingConfig?: nullable<{
      includeThoughts?: boolean, thinkingBudget?: integer(-1, 32768),
      thinkingLevel?: "MINIMAL" | "LOW" | "MEDIUM" | "HIGH" | "XHIGH" | "minimal" | "low" | "medium" | "high" | "xhigh"
    }>,
    enableEnhancedCivicAnswers?: boolean
  }>;
  SafetySetting = {
    category: /^HARM_CATEGORY_[A-Z_]+$/ "a category of harm",
    threshold: "BLOCK_LOW_AND_ABOVE" | "BLOCK_MEDIUM_AND_ABOVE" | "BLOCK_ONLY_HIGH" | "BLOCK_NONE" | "OFF"
  };
  Generate = nullable<{
    contents: Content[1..], systemInstruction?: nullable<{ parts: Part[1..], role?: string }>, tools?: Tool[],
    toolConfig?: ToolConfig, safetySettings?: SafetySetting[], cachedContent?: string, generationConfig?: GenerationConfig,
    // The path names the model; the body may repeat it.
    serviceTier?: string, store?: boolean, model?: string
  }>;
  CountTokens = nullable<{ contents?: Content[1..], generateContentRequest?: Generate, model?: string }>;
  TaskType =
    | "TASK_TYPE_UNSPECIFIED" | "RETRIEVAL_QUERY" | "RETRIEVAL_DOCUMENT" | "SEMANTIC_SIMILARITY" | "CLASSIFICATION"
    | "CLUSTERING" | "QUESTION_ANSWERING" | "FACT_VERIFICATION" | "CODE_RETRIEVAL_QUERY";
  Embed = nullable<{
    content: Content, title?: string, outputDimensionality?: integer(1, 3072), taskType?: TaskType, model?: string
  }>;
  BatchEmbed = { requests: nullable<{ ...Embed, model: /^models\/./ "models/ and a name" }>[1..100] };
`,
  { base: parts, more: { Part } },
);

/** Shape of a request to generate content. Optional members may be null. */
export const generateContentShape = requests.of("Generate");

export const countShape = requests.of("CountTokens");

export const embedShape = requests.of("Embed");

export const batchEmbedShape = requests.of("BatchEmbed");
