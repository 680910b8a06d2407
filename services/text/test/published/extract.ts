// Creates openai.golden.json from OpenAI's OpenAPI document in JSON (https://github.com/openai/openai-openapi, MIT):
// node services/text/test/published/extract.ts PATH/openapi.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Schemas to keep, together with the schemas that they refer to. */
const roots = [
  "CompactResource",
  "CreateChatCompletionResponse",
  "CreateChatCompletionStreamResponse",
  "CreateCompletionResponse",
  "CreateEmbeddingResponse",
  "CreateModerationResponse",
  "CreateSpeechResponseStreamEvent",
  "CreateTranscriptionResponseJson",
  "CreateTranscriptionResponseStreamEvent",
  "CreateTranscriptionResponseVerboseJson",
  "CreateTranslationResponseJson",
  "ErrorResponse",
  "ImageEditStreamEvent",
  "ImageGenStreamEvent",
  "ImagesResponse",
  "ListModelsResponse",
  "Model",
  "Response",
  "ResponseItemList",
  "ResponseStreamEvent",
  "TokenCountsResource",
  "VideoResource",
];

/** Members that do not affect whether a value is valid. */
const texts = new Set(
  "description title example examples deprecated default discriminator externalDocs nullable $recursiveAnchor".split(
    " ",
  ),
);

type Json = { readonly [name: string]: unknown };
const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a schema without texts. `oneOf` becomes `anyOf`: its alternatives differ only in their descriptions. */
function bare(value: unknown, areMembers = false): unknown {
  if (Array.isArray(value)) return value.map((each) => bare(each));
  if (!isRecord(value)) return value;
  if (!areMembers && "$recursiveRef" in value) return {};
  if (!areMembers && value["nullable"] === true)
    return { anyOf: [bare({ ...value, nullable: false }), { type: "null" }] };
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      if (areMembers) return [[name, bare(each)]];
      if (texts.has(name) || name.startsWith("x-")) return [];
      return [[name === "oneOf" ? "anyOf" : name, bare(each, name === "properties")]];
    }),
  );
}

function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isRecord(value)) return [];
  const { $ref: reference } = value;
  const here = typeof reference === "string" ? [reference.slice(reference.lastIndexOf("/") + 1)] : [];
  return [...here, ...Object.values(value).flatMap(namesIn)];
}

const [path = ""] = process.argv.slice(2);
const document = JSON.parse(readFileSync(path, "utf8"));
const all: Json = document.components.schemas;
const keptSchemas = new Map<string, unknown>();
const waiting = [...roots];
for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
  if (keptSchemas.has(name)) continue;
  if (all[name] === undefined) throw new Error(`the document has no schema ${name}`);
  keptSchemas.set(name, bare(all[name]));
  waiting.push(...namesIn(keptSchemas.get(name)));
}
const lines = [...keptSchemas]
  .toSorted(([left], [right]) => (left < right ? -1 : 1))
  .map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
const source = `OpenAI's OpenAPI document ${document.info.version}, https://github.com/openai/openai-openapi, MIT License`;
const text = `{"source":${JSON.stringify(source)},"components":{"schemas":{\n${lines.join(",\n")}\n}}}\n`;
writeFileSync(join(import.meta.dirname, "openai.golden.json"), text);
