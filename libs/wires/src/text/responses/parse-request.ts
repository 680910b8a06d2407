import { wantsCost } from "../../cost/with-cost.ts";
import { present } from "@modelgate/contracts";
import { Fields, isRecord } from "../../json/fields.ts";
import type { Parsed } from "../hub/codec.ts";
import { efforts, type JsonObject, type OutputFormat, type ReasoningWish, type TextRequest } from "../hub/request.ts";
import { parseTurns } from "./parse-turns.ts";
import { parseToolChoice, parseTools } from "./parse-tools.ts";

const wantsProbabilities = "message.output_text.logprobs";
/** Wishes for what is carried anyway, or asked of the vendor where it is needed. */
const needlessIncludes: readonly unknown[] = ["reasoning.encrypted_content", wantsProbabilities];

/**
 * A request to the responses endpoint in the neutral form. `store` and a stored conversation are the service's: it
 * puts earlier items into `input` and takes `previous_response_id` out; what is left of it here is refused, and so
 * are `conversation`, `prompt` and `background: true`, which no other wire can say.
 */
export function parseRequest(body: JsonObject): Parsed {
  const fields = new Fields(body);
  refuseState(fields);
  const { instructions: systems, turns, compactionTrigger } = parseTurns(fields);
  const instructions = fields.text("instructions");
  const { tools, makesImages } = parseTools(fields);
  const request: TextRequest = {
    model: fields.needText("model"),
    stream: fields.flag("stream") ?? false,
    instructions: [...(instructions === undefined ? [] : [{ kind: "text", text: instructions } as const]), ...systems],
    turns,
    ...(tools.length > 0 ? { tools } : {}),
    ...(makesImages ? { modalities: ["text", "image"] } : {}),
    ...present({
      toolChoice: parseToolChoice(fields),
      parallelTools: fields.flag("parallel_tool_calls"),
      reasoning: parseReasoning(fields),
      ...parseText(fields),
      ...parsePlain(fields),
      logProbabilities: parseLogProbabilityWish(fields),
    }),
  };
  return {
    request,
    dropped: [...fields.unread(), ...lostIncludes(fields)],
    ...(compactionTrigger ? { compactionTrigger } : {}),
  };
}

function refuseState(fields: Fields): void {
  for (const name of ["conversation", "prompt", "previous_response_id"])
    if (fields.has(name)) throw fields.unsupported(name);
  if (fields.flag("background") === true) throw fields.unsupported("background");
  fields.ignore("store");
  // A wish to see the cost is granted here: no vendor hears of it.
  if (wantsCost(fields.value)) fields.ignore("usage");
  if (fields.value["truncation"] === "disabled") fields.ignore("truncation");
  // Streams of ours are never padded, so a wish for no padding is granted.
  const options = fields.value["stream_options"];
  if (isRecord(options) && options["include_obfuscation"] !== true) fields.ignore("stream_options");
}

/** Fields that are one value here and one there. */
function parsePlain(fields: Fields): Partial<TextRequest> {
  return {
    maxTokens: fields.count("max_output_tokens", 1),
    temperature: fields.number("temperature"),
    topP: fields.number("top_p"),
    // Open Responses has these two, which other wires take, and the wire's own vendor not.
    presencePenalty: fields.number("presence_penalty"),
    frequencyPenalty: fields.number("frequency_penalty"),
    cacheKey: fields.text("prompt_cache_key"),
    cacheRetention: fields.text("prompt_cache_retention"),
    metadata: fields.record("metadata"),
    user: fields.text("user"),
    safetyIdentifier: fields.text("safety_identifier"),
    serviceTier: fields.text("service_tier"),
  };
}

function parseReasoning(fields: Fields): ReasoningWish | undefined {
  const reasoning = fields.fields("reasoning");
  if (reasoning === undefined) return undefined;
  const effort = reasoning.word("effort", efforts);
  const words = ["auto", "concise", "detailed"] as const;
  const summary = reasoning.word("summary", words) ?? reasoning.word("generate_summary", words);
  const show = summary === undefined ? "none" : summary === "detailed" ? "full" : "summary";
  return present({ effort, show });
}

function parseText(fields: Fields): Partial<TextRequest> {
  const text = fields.fields("text");
  if (text === undefined) return {};
  const format = text.fields("format");
  return { verbosity: text.text("verbosity"), format: format === undefined ? undefined : parseFormat(format) };
}

function parseFormat(format: Fields): OutputFormat | undefined {
  const type = format.word("type", ["text", "json_object", "json_schema"]);
  if (type === "json_object") return { kind: "json" };
  if (type !== "json_schema") return undefined;
  const schema = format.record("schema");
  if (schema === undefined) throw format.wrong("schema", "an object");
  return {
    kind: "schema",
    schema,
    ...present({
      name: format.text("name"),
      description: format.text("description"),
      strict: format.flag("strict"),
    }),
  };
}

/** Wanted by `include`, by a number of alternatives, or both. */
function parseLogProbabilityWish(fields: Fields): TextRequest["logProbabilities"] {
  const alternatives = fields.count("top_logprobs") ?? 0;
  const included = (fields.list("include") ?? []).includes(wantsProbabilities);
  return alternatives > 0 || included ? { alternatives } : undefined;
}

function lostIncludes(fields: Fields): readonly string[] {
  return (fields.list("include") ?? []).some((name) => !needlessIncludes.includes(name)) ? ["include"] : [];
}
