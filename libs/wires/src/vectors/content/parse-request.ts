import { present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { mostInputs, vectorTasks, type VectorContent, type VectorInput, type VectorsRequest } from "../hub/request.ts";
import { noTask, taskWords } from "./tasks.ts";

interface Path {
  readonly model?: string | undefined;
}

/** Parts of one content. */
const mostParts = 4_096;

/** The body of :embedContent. Names may be in camelCase or snake_case. */
export function parseSingle(body: JsonRecord, path: Path = {}): ParsedRequest<VectorsRequest> {
  const fields = new Fields(body, "", "either");
  const model = modelOf(fields, path.model);
  const dimensions = fields.count("outputDimensionality", 1);
  const request = { model, inputs: [parseTurns(fields)], ...present({ dimensions }) };
  return { request, dropped: fields.unread() };
}

/** The body of :batchEmbedContents. Its requests must agree in model and dimensions, as no other wire can say several. */
export function parseBatch(body: JsonRecord, path: Path = {}): ParsedRequest<VectorsRequest> {
  const fields = new Fields(body, "", "either");
  fields.need("requests");
  const requests = fields.each("requests", mostInputs);
  const [first] = requests;
  if (first === undefined) throw fields.wrong("requests", "an array that is not empty");
  const model = modelOf(first, path.model);
  const dimensions = first.count("outputDimensionality", 1);
  const inputs = requests.map((each) => {
    modelOf(each, model);
    if (each.count("outputDimensionality", 1) !== dimensions)
      throw each.wrong("outputDimensionality", "the same in all requests");
    return parseTurns(each);
  });
  return { request: { model, inputs, ...present({ dimensions }) }, dropped: fields.unread() };
}

/** The model of the path, or of the body where the path has none; both must be the same. */
function modelOf(fields: Fields, inPath: string | undefined): string {
  const inBody = fields.text("model")?.replace(/^models\//, "");
  if (inPath === undefined) return inBody ?? fields.needText("model");
  if (inBody !== undefined && inBody !== inPath) throw fields.wrong("model", "the model of the path");
  return inPath;
}

function parseTurns(fields: Fields): VectorInput {
  fields.need("content");
  return { content: parseContent(fields), ...present({ task: parseTask(fields), title: fields.text("title") }) };
}

/** Texts of one content are one input, a line each. Parts of other kinds go to vendors of this wire only. */
function parseContent(fields: Fields): VectorContent {
  const content = fields.fields("content");
  const parts = content?.each("parts", mostParts) ?? [];
  content?.ignore("role");
  if (content !== undefined && parts.some((part) => !part.has("text") && Object.keys(part.value).length > 0)) {
    for (const part of parts) part.whole();
    return { kind: "own", wire: "content-embeddings", value: content.whole() };
  }
  const text = parts.map((part) => part.text("text") ?? "").join("\n");
  if (text === "") throw fields.wrong("content.parts", "an array with some text");
  return { kind: "text", text };
}

function parseTask(fields: Fields): VectorInput["task"] {
  const word = fields.word("taskType", [noTask, ...Object.values(taskWords)]);
  return vectorTasks.find((task) => taskWords[task] === word);
}
