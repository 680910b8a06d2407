import { present } from "@modelgate/contracts";
import { Fields } from "../../json/fields.ts";
import type { Parsed } from "../hub/codec.ts";
import type { JsonObject, OutputFormat, TextRequest } from "../hub/request.ts";
import { parseTurns, parseInstructions } from "./parse-turns.ts";
import { parseThinking } from "./thinking.ts";
import { parseToolChoice, parseTools } from "./parse-tools.ts";
import { jsonSchemaOf } from "./schema.ts";

/**
 * A request for generated content in the neutral form. Names may be in camelCase or snake_case, as the vendor takes
 * both. `cachedContent` is refused: it is in one vendor account's store.
 */
export function parseRequest(body: JsonObject, path: { readonly model?: string; readonly stream?: boolean }): Parsed {
  const fields = new Fields(body, "", "either");
  if (fields.has("cachedContent")) throw fields.unsupported("cachedContent");
  const tools = parseTools(fields);
  const named = fields.text("model")?.replace(/^models\//, "");
  const request: TextRequest = {
    model: path.model ?? named ?? fields.needText("model"),
    stream: path.stream ?? false,
    instructions: parseInstructions(fields),
    turns: parseTurns(fields),
    ...(tools.length > 0 ? { tools } : {}),
    ...present({ toolChoice: parseToolChoice(fields), ...parseGeneration(fields.fields("generationConfig")) }),
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

/** A wish for probabilities stands only where it is switched on. */
function parseProbabilities(config: Fields): TextRequest["logProbabilities"] {
  const alternatives = config.count("logprobs") ?? 0;
  return config.flag("responseLogprobs") === true ? { alternatives } : undefined;
}

function parseFormat(config: Fields): OutputFormat | undefined {
  const type = config.text("responseMimeType");
  if (type !== undefined && type !== "text/plain" && type !== "application/json")
    throw config.unsupported("responseMimeType");
  const raw = config.record("responseJsonSchema");
  const own = config.record("responseSchema");
  const schema = raw ?? (own === undefined ? undefined : jsonSchemaOf(own));
  if (schema === undefined) return type === "application/json" ? { kind: "json" } : undefined;
  if (type === "text/plain") throw config.wrong("responseMimeType", "application/json where there is a schema");
  return { kind: "schema", schema };
}

const modalities = { TEXT: "text", IMAGE: "image", AUDIO: "audio" } as const;

/** Kinds of output, and how images and speech are wanted. */
function parseOutput(config: Fields): Partial<TextRequest> {
  const image = config.fields("imageConfig");
  const wanted = config.texts("responseModalities")?.map((word) => {
    const name = (["TEXT", "IMAGE", "AUDIO"] as const).find((known) => known === word.toUpperCase());
    if (name === undefined) throw config.wrong("responseModalities", "of TEXT, IMAGE, AUDIO");
    return modalities[name];
  });
  return {
    modalities: wanted,
    image:
      image === undefined
        ? undefined
        : present({ aspectRatio: image.text("aspectRatio"), size: image.text("imageSize") }),
    audio: parseSpeech(config),
  };
}

function parseSpeech(config: Fields): JsonObject | undefined {
  const speech = config.fields("speechConfig");
  if (speech === undefined) return undefined;
  const voice = speech.fields("voiceConfig")?.fields("prebuiltVoiceConfig")?.text("voiceName");
  if (voice === undefined) throw config.unsupported("speechConfig");
  return { voice };
}
