import {
  anything,
  anyObject,
  anyText,
  base64,
  closedOrNull,
  filledText,
  flag,
  integer,
  list,
  number,
  oneOf,
  text,
  type Shape,
} from "../checks/shape.ts";
import { schema } from "./schema-shape.ts";

const functionName = text(/^[A-Za-z_][\w.:-]{0,63}$/, "a letter or underscore, and 63 letters, digits or _.:- at most");
const mimeType = text(
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|(?:audio|video|text)\/[\w.+-]+|application\/(?:pdf|json|x-javascript|x-python))(?:;.*)?$/,
  "a type that the model reads",
);

/** What a part may say; it says exactly one of these. */
const payloads = {
  text: anyText,
  inlineData: closedOrNull({ mimeType, data: base64 }, { displayName: anyText }),
  fileData: closedOrNull({ fileUri: filledText }, { mimeType: anyText }),
  functionCall: closedOrNull({ name: functionName }, { args: anyObject, id: anyText }),
  functionResponse: closedOrNull(
    { name: functionName, response: anyObject },
    { id: anyText, parts: list(anyObject), willContinue: flag, scheduling: anyText },
  ),
  executableCode: anyObject,
  codeExecutionResult: anyObject,
};
const partFields = closedOrNull(
  {},
  {
    ...payloads,
    thought: flag,
    thoughtSignature: anyText,
    videoMetadata: anyObject,
    mediaResolution: anyObject,
    partMetadata: anyObject,
  },
);
const part: Shape = (value, path) => {
  const wrong = partFields(value, path);
  if (wrong !== undefined) return wrong;
  const said = Object.keys(payloads).filter((name) => (Object(value)[name] ?? undefined) !== undefined);
  return said.length === 1 ? undefined : { path, problem: "value", expected: "a part that says exactly one thing" };
};

/** What one side says. */
export const content: Shape = closedOrNull(
  { parts: list(part, { least: 1 }) },
  { role: oneOf("user", "model", "function") },
);

const systemInstruction = closedOrNull({ parts: list(part, { least: 1 }) }, { role: anyText });
const functionDeclaration = closedOrNull(
  { name: functionName },
  {
    description: anyText,
    parameters: schema,
    parametersJsonSchema: anything,
    response: anyObject,
    responseJsonSchema: anything,
    behavior: anyText,
  },
);
const tool = closedOrNull(
  {},
  {
    functionDeclarations: list(functionDeclaration),
    googleSearch: anyObject,
    googleSearchRetrieval: anyObject,
    codeExecution: anyObject,
    urlContext: anyObject,
    googleMaps: anyObject,
    fileSearch: anyObject,
    computerUse: anyObject,
  },
);
const toolConfig = closedOrNull(
  {},
  {
    functionCallingConfig: closedOrNull(
      {},
      { mode: oneOf("AUTO", "ANY", "NONE", "VALIDATED"), allowedFunctionNames: list(anyText) },
    ),
    retrievalConfig: anyObject,
    includeServerSideToolInvocations: flag,
  },
);
const category = text(/^HARM_CATEGORY_[A-Z_]+$/, "a category of harm");
const threshold = oneOf("BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_ONLY_HIGH", "BLOCK_NONE", "OFF");

const generationConfig = closedOrNull(
  {},
  {
    temperature: number(0, 2),
    topP: number(0, 1),
    topK: integer(1),
    candidateCount: integer(1, 8),
    maxOutputTokens: integer(1),
    stopSequences: list(filledText, { most: 5 }),
    seed: integer(-(2 ** 31), 2 ** 31 - 1),
    presencePenalty: number(-2, 2),
    frequencyPenalty: number(-2, 2),
    responseMimeType: oneOf("text/plain", "application/json", "text/x.enum"),
    responseSchema: schema,
    responseJsonSchema: anything,
    responseLogprobs: flag,
    logprobs: integer(0, 20),
    responseModalities: list(oneOf("TEXT", "IMAGE", "AUDIO")),
    speechConfig: anyObject,
    mediaResolution: anyText,
    imageConfig: closedOrNull(
      {},
      { aspectRatio: text(/^\d+:\d+$/, "a ratio such as 16:9"), imageSize: oneOf("1K", "2K", "4K") },
    ),
    thinkingConfig: closedOrNull(
      {},
      {
        includeThoughts: flag,
        thinkingBudget: integer(-1, 32_768),
        thinkingLevel: oneOf("MINIMAL", "LOW", "MEDIUM", "HIGH", "minimal", "low", "medium", "high"),
      },
    ),
    enableEnhancedCivicAnswers: flag,
  },
);

const required = { contents: list(content, { least: 1 }) };
const optional = {
  systemInstruction,
  tools: list(tool),
  toolConfig,
  safetySettings: list(closedOrNull({ category, threshold })),
  cachedContent: anyText,
  generationConfig,
  serviceTier: anyText,
  store: flag,
  // The address names the model; the body may say it again.
  model: anyText,
};

/** A request to generate content, every field of it; null stands for an optional field that is absent. */
export const generateShape: Shape = closedOrNull(required, optional);

/** A request to count its tokens: contents alone, or a whole request. */
export const countShape: Shape = closedOrNull(
  {},
  { contents: required.contents, generateContentRequest: closedOrNull(required, optional), model: anyText },
);

const embedding = {
  title: anyText,
  outputDimensionality: integer(1, 3_072),
  taskType: oneOf(
    "TASK_TYPE_UNSPECIFIED",
    "RETRIEVAL_QUERY",
    "RETRIEVAL_DOCUMENT",
    "SEMANTIC_SIMILARITY",
    "CLASSIFICATION",
    "CLUSTERING",
    "QUESTION_ANSWERING",
    "FACT_VERIFICATION",
    "CODE_RETRIEVAL_QUERY",
  ),
};

/** A request for one vector. */
export const embedShape: Shape = closedOrNull({ content }, { ...embedding, model: anyText });

/** A request for several: each names the model again. */
export const batchEmbedShape: Shape = closedOrNull({
  requests: list(closedOrNull({ model: text(/^models\/./, "models/ and a name"), content }, embedding), {
    least: 1,
    most: 100,
  }),
});
