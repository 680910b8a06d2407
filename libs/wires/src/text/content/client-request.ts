import { withoutUndefined, bodies } from "@modelgate/contracts";
import {
  inBothSpellings,
  asRecord,
  camelName,
  Fields,
  isRecord,
  type JsonRecord,
  bodyReader,
} from "@modelgate/formats/json";
import { readsHiddenInput, mediaOf, type TextParams } from "../params.ts";
import type { RequestPath } from "../../wire.ts";
import type { ParsedText } from "../hub/wire.ts";
import type { Part, TextPart } from "../hub/part.ts";
import type { OutputFormat, TextRequest, Turn, Tool, ToolChoice } from "../hub/request.ts";
import { CallPairs } from "../hub/tool-calls.ts";
import { measurePart } from "./sources.ts";
import { parsePart } from "./parts.ts";
import { toJsonSchema } from "./schema.ts";
import { parseThinking } from "./thinking.ts";
import { requestedFees, feeMembers } from "./usage.ts";

/** Parses a request in camelCase or snake_case. */
export function parseRequest(
  body: JsonRecord,
  path: { readonly model?: string; readonly stream?: boolean },
): ParsedText {
  const fields = new Fields(body, "", "either");
  if (fields.has("cachedContent")) throw fields.unsupported("cachedContent");
  const tools = parseTools(fields);
  const bodyModel = fields.text("model")?.replace(/^models\//, "");
  const request: TextRequest = {
    model: path.model ?? bodyModel ?? fields.needText("model"),
    stream: path.stream ?? false,
    instructions: parseInstructions(fields),
    turns: parseTurns(fields),
    cacheMode: "automatic",
    ...(tools.length > 0 ? { tools } : {}),
    ...withoutUndefined({ toolChoice: parseToolChoice(fields), ...parseGeneration(fields.fields("generationConfig")) }),
  };
  return { request, dropped: fields.unread() };
}

function parseGeneration(config: Fields | undefined): Partial<TextRequest> {
  if (config === undefined) return {};
  const thinking = config.fields("thinkingConfig");
  return {
    maxTokens: config.count("maxOutputTokens", 1),
    stop: config.texts("stopSequences"),
    format: parseFormat(config),
    reasoning: thinking === undefined ? undefined : parseThinking(thinking),
    temperature: config.number("temperature"),
    topP: config.number("topP"),
    topK: config.number("topK"),
    presencePenalty: config.number("presencePenalty"),
    frequencyPenalty: config.number("frequencyPenalty"),
    seed: config.number("seed"),
    choices: config.count("candidateCount", 1),
    logProbabilities: parseProbabilities(config),
    ...parseOutput(config),
  };
}

function parseProbabilities(config: Fields): TextRequest["logProbabilities"] {
  const alternatives = config.count("logprobs") ?? 0;
  return config.flag("responseLogprobs") === true ? { alternatives } : undefined;
}

function parseFormat(config: Fields): OutputFormat | undefined {
  const type = config.text("responseMimeType");
  if (type !== undefined && type !== "text/plain" && type !== "application/json")
    throw config.unsupported("responseMimeType");
  const raw = config.record("responseJsonSchema");
  const responseSchema = config.record("responseSchema");
  const schema = raw ?? (responseSchema === undefined ? undefined : toJsonSchema(responseSchema));
  if (schema === undefined) return type === "application/json" ? { kind: "json" } : undefined;
  if (type === "text/plain") throw config.wrong("responseMimeType", "application/json when a schema is given");
  return { kind: "schema", schema };
}

const modalities = { TEXT: "text", IMAGE: "image", AUDIO: "audio" } as const;

function parseOutput(config: Fields): Partial<TextRequest> {
  const image = config.fields("imageConfig");
  const requestedModalities = config.texts("responseModalities")?.map((text) => {
    const name = (["TEXT", "IMAGE", "AUDIO"] as const).find((modality) => modality === text.toUpperCase());
    if (name === undefined) throw config.wrong("responseModalities", "an array of TEXT, IMAGE, AUDIO");
    return modalities[name];
  });
  return {
    modalities: requestedModalities,
    image:
      image === undefined
        ? undefined
        : withoutUndefined({ aspectRatio: image.text("aspectRatio"), size: image.text("imageSize") }),
    audio: parseSpeech(config),
  };
}

function parseSpeech(config: Fields): JsonRecord | undefined {
  const speech = config.fields("speechConfig");
  if (speech === undefined) return undefined;
  const voice = speech.fields("voiceConfig")?.fields("prebuiltVoiceConfig")?.text("voiceName");
  if (voice === undefined) throw config.unsupported("speechConfig");
  return { voice };
}

/** Maximum number of contents of a request, and of parts of one content. */
const [maxContents, maxParts] = [20_000, 4_096];

interface OpenTurn extends Turn {
  readonly parts: Part[];
}

/** Parses the turns. Adjacent contents of the model are one turn, because SDKs store each piece of a stream as a content. */
function parseTurns(body: Fields): readonly Turn[] {
  const calls = new CallPairs();
  const turns: OpenTurn[] = [];
  for (const [index, content] of body.each("contents", maxContents).entries()) {
    const role = content.oneOf("role", ["user", "model", "function"]) === "model" ? "assistant" : "user";
    const last = turns.at(-1);
    const turn: OpenTurn = last?.role === "assistant" && role === "assistant" ? last : { role, parts: [] };
    if (turn !== last) turns.push(turn);
    for (const [position, part] of content.each("parts", maxParts).entries())
      addPart(turn, parsePart(part, { calls, path: ["contents", index, position] }));
  }
  return turns;
}

/** Adds a part. Pieces of the model's text or reasoning are joined. The last one has the signature of the joined text. */
function addPart({ role, parts }: OpenTurn, part: Part): void {
  const last = parts.at(-1);
  if (role === "user" || (part.kind !== "text" && part.kind !== "reasoning")) parts.push(part);
  else if (last?.kind === part.kind && last.signature === undefined)
    parts[parts.length - 1] = { ...part, text: last.text + part.text };
  else if (part.text !== "" || part.signature !== undefined) parts.push(part);
}

function parseInstructions(body: Fields): readonly TextPart[] {
  const value = body.raw("systemInstruction");
  if (value === undefined) return [];
  if (typeof value === "string") return [{ kind: "text", text: value }];
  const content = body.fields("systemInstruction");
  content?.ignore("role");
  const parts: readonly Fields[] = content?.each("parts", maxParts) ?? [];
  return parts.map((part) => requireTextPart(part, parsePart(part, { calls: new CallPairs(), path: ["system"] })));
}

function requireTextPart(fields: Fields, part: Part): TextPart {
  if (part.kind === "text") return part;
  throw fields.wrong("text", "the only kind of part in a system instruction");
}

/** Maximum number of entries of `tools`, and of functions in one entry. */
const maxTools = 1_024;

function parseTools(body: Fields): readonly Tool[] {
  return body.each("tools", maxTools).flatMap((entry) => {
    const functions = entry.each("functionDeclarations", maxTools).map(parseFunction);
    const others = Object.entries(entry.value)
      .filter(([name]) => name !== "functionDeclarations" && name !== "function_declarations")
      .map(([name, options]) => vendorTool(camelName(name), asRecord(options)));
    entry.ignore(...Object.keys(entry.value));
    return [...functions, ...others];
  });
}

function vendorTool(name: string, options: JsonRecord): Tool {
  return name === "googleSearch"
    ? { kind: "web-search", wire: "content", options, ...(Object.keys(options).length > 0 ? { more: true } : {}) }
    : { kind: "vendor", wire: "content", name, definition: options };
}

function parseFunction(declared: Fields): Tool {
  const description = declared.text("description");
  const parameters = declared.record("parametersJsonSchema") ?? declared.record("parameters");
  const isJsonSchema = declared.has("parametersJsonSchema");
  return withoutUndefined({
    kind: "function",
    name: declared.needText("name"),
    description,
    parameters: parameters === undefined ? undefined : isJsonSchema ? parameters : toJsonSchema(parameters),
  });
}

const toolChoiceModes = {
  MODE_UNSPECIFIED: undefined,
  AUTO: "auto",
  VALIDATED: "auto",
  ANY: "required",
  NONE: "none",
} as const satisfies Record<string, ToolChoice["mode"] | undefined>;

function parseToolChoice(body: Fields): ToolChoice | undefined {
  const config = body.fields("toolConfig")?.fields("functionCallingConfig");
  const modeName = config?.oneOf("mode", ["MODE_UNSPECIFIED", "AUTO", "VALIDATED", "ANY", "NONE"]);
  const names = config?.texts("allowedFunctionNames");
  const mode = modeName === undefined ? undefined : toolChoiceModes[modeName];
  if (mode === undefined) return undefined;
  return names === undefined || names.length === 0 ? { mode } : { mode, names };
}

export const inspectedMembers = [
  "contents",
  ...inBothSpellings(["generationConfig", "cachedContent"]),
  ...costConfigMembers(),
  ...feeMembers,
];

/** Returns the members of `generationConfig` that affect the cost of an answer. */
function costConfigMembers(): readonly string[] {
  const thinkingMembers = inBothSpellings(["thinkingBudget", "thinkingLevel"]);
  const settings = [
    ...inBothSpellings(["maxOutputTokens", "candidateCount", "thinkingConfig"]),
    ...inBothSpellings(["thinkingConfig"]).flatMap((name) => thinkingMembers.map((each) => `${name}.${each}`)),
  ];
  return inBothSpellings(["generationConfig"]).flatMap((name) => settings.map((each) => `${name}.${each}`));
}

const read = bodyReader(bodies.GenerateContentRequest);

/**
 * Checks the body against its schema, and reads the parameters that the gateway needs. The path contains the model and
 * selects streaming.
 */
export function readParams(value: unknown, path: RequestPath): TextParams {
  const body = read(value);
  const config = new Fields(body, "", "either").fields("generationConfig");
  const choices = config?.count("candidateCount", 1) ?? 1;
  const max = config?.count("maxOutputTokens", 1);
  return {
    model: path.model ?? "",
    stream: path.stream ?? false,
    includeUsage: true,
    maxOutputTokens: max === undefined ? undefined : max * choices,
    // A body with both spellings of the output limit is refused.
    outputLimitNames: [],
    readsHiddenInput: readsHiddenInput(body),
    choices,
    media: mediaOf(body.contents, measurePart),
    imageSize: config?.fields("imageConfig")?.text("imageSize"),
    fees: requestedFees(body),
  };
}

/** Returns the request whose tokens a `:countTokens` body asks for. */
export function contentToCount(body: JsonRecord): JsonRecord {
  const inner = body["generateContentRequest"] ?? body["generate_content_request"];
  return isRecord(inner) ? inner : body;
}
