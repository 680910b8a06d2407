import { present } from "@modelgate/contracts";
import { Fields } from "../../json/fields.ts";
import { wantsCost } from "../../cost/with-cost.ts";
import type { Parsed } from "../hub/codec.ts";
import type { JsonObject, OutputFormat, TextRequest } from "../hub/request.ts";
import { parseTurns } from "./parse-turns.ts";
import { parseReasoning } from "./thinking.ts";
import { parseToolChoice, parseTools } from "./parse-tools.ts";

/** A request for a chat completion in the neutral form. Throws Failure (400) naming the field that is wrong. */
export function parseRequest(body: JsonObject): Parsed {
  const fields = new Fields(body);
  const { instructions, turns } = parseTurns(fields);
  const tools = parseTools(fields);
  const stream = fields.flag("stream") ?? false;
  const request: TextRequest = {
    model: fields.needText("model"),
    stream,
    instructions,
    turns,
    ...(tools.length > 0 ? { tools } : {}),
    ...present({
      toolChoice: parseToolChoice(fields),
      parallelTools: fields.flag("parallel_tool_calls"),
      maxTokens: parseMaxTokens(fields),
      stop: parseStop(fields),
      format: parseFormat(fields),
      reasoning: parseReasoning(fields),
      ...parsePlain(fields),
      logProbabilities: parseProbabilityWish(fields),
      ...parseOutput(fields),
      includeUsage: parseStreamOptions(fields),
    }),
  };
  // Nothing is stored here, so a wish for that is granted.
  if (body["store"] === false) fields.ignore("store");
  return { request, dropped: fields.unread() };
}

/** The newer name wins. */
function parseMaxTokens(fields: Fields): number | undefined {
  const older = fields.count("max_tokens", 1);
  return fields.count("max_completion_tokens", 1) ?? older;
}

function parseStop(fields: Fields): readonly string[] | undefined {
  const stop = fields.raw("stop");
  return typeof stop === "string" ? [stop] : fields.texts("stop");
}

function parseFormat(fields: Fields): OutputFormat | undefined {
  const format = fields.fields("response_format");
  const type = format?.word("type", ["text", "json_object", "json_schema"]);
  if (type === "json_object") return { kind: "json" };
  if (format === undefined || type !== "json_schema") return undefined;
  const named = format.fields("json_schema");
  if (named === undefined) throw format.wrong("json_schema", "an object");
  return present({
    kind: "schema" as const,
    schema: named.record("schema") ?? {},
    name: named.text("name"),
    description: named.text("description"),
    strict: named.flag("strict"),
  });
}

/** Fields that are one value here and one there. */
function parsePlain(fields: Fields): Partial<TextRequest> {
  return {
    temperature: fields.number("temperature"),
    topP: fields.number("top_p"),
    topK: fields.number("top_k"),
    presencePenalty: fields.number("presence_penalty"),
    frequencyPenalty: fields.number("frequency_penalty"),
    seed: fields.number("seed"),
    choices: fields.count("n", 1),
    logitBias: fields.record("logit_bias"),
    verbosity: fields.text("verbosity"),
    cacheKey: fields.text("prompt_cache_key"),
    cacheRetention: fields.text("prompt_cache_retention"),
    metadata: fields.record("metadata"),
    user: fields.text("user"),
    safetyIdentifier: fields.text("safety_identifier"),
    serviceTier: fields.text("service_tier"),
    prediction: fields.record("prediction"),
  };
}

/** A number of alternatives means something only where probabilities are switched on. */
function parseProbabilityWish(fields: Fields): TextRequest["logProbabilities"] {
  const alternatives = fields.count("top_logprobs") ?? 0;
  return fields.flag("logprobs") === true ? { alternatives } : undefined;
}

/** Kinds of output, and how speech and images are wanted. */
function parseOutput(fields: Fields): Partial<TextRequest> {
  const image = fields.fields("image_config");
  return {
    modalities: fields.texts("modalities")?.map((word) => {
      const known = (["text", "image", "audio"] as const).find((name) => name === word);
      if (known === undefined) throw fields.wrong("modalities", "of text, image, audio");
      return known;
    }),
    audio: fields.record("audio"),
    image:
      image === undefined
        ? undefined
        : present({ aspectRatio: image.text("aspect_ratio"), size: image.text("image_size") }),
  };
}

/** Whether the usage is wanted at a stream's end. Streams of ours are never padded. */
function parseStreamOptions(fields: Fields): boolean | undefined {
  const options = fields.fields("stream_options");
  if (options?.value["include_obfuscation"] === false) options.ignore("include_obfuscation");
  if (!wantsCost(fields.value)) return options?.flag("include_usage");
  fields.ignore("usage");
  options?.ignore("include_usage");
  return true;
}
