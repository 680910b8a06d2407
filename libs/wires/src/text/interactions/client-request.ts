import { bodies, withoutUndefined } from "@modelgate/contracts";
import { missingFailure, invalidFailure, Fields, bodyReader, isRecord, type JsonRecord } from "@modelgate/formats/json";
import { parseFunction, TurnCollector } from "../hub/content.ts";
import { searchToolName } from "../hub/request.ts";
import type { Effort, OutputFormat, ReasoningOptions, TextRequest, Tool, ToolChoice, Turn } from "../hub/request.ts";
import type { ParsedText } from "../hub/wire.ts";
import { bytesMedia, mediaOf, remoteFile, textAt, readsHiddenInput, type Media, type TextParams } from "../params.ts";
import { feeMembers, requestedFees } from "./usage.ts";
import { isContents, parseContent, parseModelStep, parseResult, envelopeOfStep } from "./parts.ts";

/** Members that refer to one vendor account's store, machines or callbacks. */
const refusedMembers = [
  "previous_interaction_id",
  "continuation_token",
  "environment",
  "cached_content",
  "webhook_config",
];

/** Parses a request. The text service has already replaced `previous_interaction_id` by the earlier steps. */
export function parseRequest(body: JsonRecord): ParsedText {
  const fields = new Fields(body, "", "either");
  for (const name of refusedMembers) if (fields.has(name)) throw fields.unsupported(name);
  fields.ignore("store", "background");
  const instructions = fields.text("system_instruction");
  const config = fields.fields("generation_config");
  const tools = fields.each("tools", maxTools).map(parseTool);
  const tier = fields.text("service_tier");
  const request: TextRequest = {
    model: fields.text("model") ?? fields.text("agent") ?? fields.needText("model"),
    stream: fields.flag("stream") ?? false,
    instructions: instructions === undefined ? [] : [{ kind: "text", text: instructions }],
    turns: parseTurns(fields),
    cacheMode: "automatic",
    ...(tools.length > 0 ? { tools } : {}),
    ...withoutUndefined({
      ...parseOutput(fields),
      ...parseGeneration(config),
      serviceTier: tier === "standard" ? "default" : tier,
    }),
  };
  return { request, dropped: fields.unread() };
}

/** Maximum number of entries in `tools` and in other lists of settings. */
const maxTools = 1_024;

function parseTool(tool: Fields): Tool {
  const type = tool.needText("type");
  if (type === "function") return parseFunction(tool);
  const { type: _, ...options } = tool.whole();
  if (type !== "google_search") return { kind: "vendor", wire: "interactions", name: type, definition: tool.value };
  const more = Object.keys(options).length > 0 ? { more: true } : {};
  return { kind: "web-search", wire: "interactions", options, ...more };
}

function parseGeneration(config: Fields | undefined): Partial<TextRequest> {
  if (config === undefined) return {};
  const image = config.fields("image_config");
  return withoutUndefined({
    image: image === undefined ? undefined : imageOf(image),
    maxTokens: config.count("max_output_tokens", 1),
    stop: config.texts("stop_sequences"),
    reasoning: parseReasoning(config),
    temperature: config.number("temperature"),
    topP: config.number("top_p"),
    seed: config.number("seed"),
    toolChoice: parseToolChoice(config),
    audio: parseSpeech(config),
  });
}

const levels = ["minimal", "low", "medium", "high", "xhigh"] as const satisfies readonly Effort[];

function parseReasoning(config: Fields): ReasoningOptions | undefined {
  const effort = config.oneOf("thinking_level", levels);
  const summaries = config.oneOf("thinking_summaries", ["auto", "none"]);
  if (effort === undefined && summaries === undefined) return undefined;
  return withoutUndefined({ effort, show: summaries === "auto" ? ("summary" as const) : summaries });
}

const modes = { auto: "auto", validated: "auto", any: "required", none: "none" } as const;
const modeWords = ["auto", "any", "none", "validated"] as const;

function parseToolChoice(config: Fields): ToolChoice | undefined {
  const choice = config.raw("tool_choice");
  if (choice === undefined) return undefined;
  if (typeof choice === "string") return { mode: modes[config.needOneOf("tool_choice", modeWords)] };
  const allowed = config.needFields("tool_choice").needFields("allowed_tools");
  const names = allowed.texts("tools")?.map((name) => (name === "google_search" ? searchToolName : name));
  return withoutUndefined({ mode: modes[allowed.oneOf("mode", modeWords) ?? "auto"], names });
}

/** Parses the voice. Several speakers are refused, because other wires cannot express them. */
function parseSpeech(config: Fields): JsonRecord | undefined {
  if (!config.has("speech_config")) return undefined;
  const [speech, ...others] = config.each("speech_config", maxTools);
  const voice = speech?.text("voice");
  if (voice === undefined || others.length > 0) throw config.unsupported("speech_config");
  speech?.ignore("language", "speaker");
  return { voice };
}

function imageOf(image: Fields): TextRequest["image"] {
  return withoutUndefined({ aspectRatio: image.text("aspect_ratio"), size: image.text("image_size") });
}

const outputModalities = ["text", "image", "audio"] as const;

function parseOutput(fields: Fields): Partial<TextRequest> {
  const modalities = new Set(
    fields.texts("response_modalities")?.map((text) => {
      const modality = outputModalities.find((each) => each === text);
      if (modality === undefined)
        throw fields.wrong("response_modalities", `an array of ${outputModalities.join(", ")}`);
      return modality;
    }),
  );
  const isJson = fields.text("response_mime_type") === "application/json";
  const outputSettings: { format?: OutputFormat; image?: TextRequest["image"] } = isJson
    ? { format: { kind: "json" } }
    : {};
  let hasText = false;
  for (const form of fields.each("response_format", maxTools)) {
    const type = form.value["type"];
    if (type === "video") throw form.unsupported("type");
    if (type === "image" || type === "audio") modalities.add(form.needOneOf("type", outputModalities));
    if (type === "image") outputSettings.image = imageOf(form);
    if (type === "image" || type === "audio") continue;
    hasText = true;
    const format = formatOf(form);
    if (format !== undefined) outputSettings.format = format;
  }
  if (hasText && modalities.size > 0) modalities.add("text");
  return modalities.size === 0 ? outputSettings : { ...outputSettings, modalities: [...modalities] };
}

/** Parses the format of text, which is an entry of `response_format`, or only a JSON schema. */
function formatOf(form: Fields): OutputFormat | undefined {
  if (form.value["type"] !== "text") return { kind: "schema", schema: form.whole() };
  form.ignore("type");
  const [schema, type] = [form.record("schema"), form.text("mime_type")];
  if (schema !== undefined) return { kind: "schema", schema };
  return type === "application/json" ? { kind: "json" } : undefined;
}

/** Parameters of an interaction that other text requests do not have. */
export interface InteractionsParams extends TextParams {
  readonly previousId: string | undefined;
  /** True if a later request may refer to the interaction. */
  readonly store: boolean;
  readonly isInBackground: boolean;
}

export const inspectedMembers = [
  ...Object.keys(bodies.InteractionRequest.properties),
  ...["max_output_tokens", "thinking_level"].map((name) => `generation_config.${name}`),
  ...feeMembers,
];

const read = bodyReader(bodies.InteractionRequest);

export function readParams(value: unknown): InteractionsParams {
  const body = read(value);
  const [model, agent] = [body.model ?? undefined, body.agent ?? undefined];
  if (model !== undefined && agent !== undefined)
    throw invalidFailure("agent", "model and agent cannot both be given.");
  const name = model ?? agent;
  if (name === undefined) throw missingFailure("model");
  return {
    model: name,
    stream: body.stream ?? false,
    includeUsage: true,
    maxOutputTokens: body.generation_config?.max_output_tokens ?? undefined,
    outputLimitNames: [],
    readsHiddenInput: readsHiddenInput(body),
    choices: 1,
    media: mediaOf(body.input, measurePart),
    fees: requestedFees(body),
    previousId: body.previous_interaction_id ?? undefined,
    store: body.store ?? true,
    isInBackground: body.background ?? false,
  };
}

const mediaTypes: ReadonlySet<unknown> = new Set(["image", "audio", "document", "video"]);

function measurePart(part: JsonRecord): Media | undefined {
  const { type, data } = part;
  if (!mediaTypes.has(type)) return undefined;
  if (typeof data === "string") return bytesMedia(textAt(part, "mime_type"), data);
  return typeof part["uri"] === "string" ? remoteFile : undefined;
}

const maxSteps = 20_000;

/** Returns the steps of an input. A text, or a list of contents, is one step of the user. */
export function stepsOf(input: unknown): readonly JsonRecord[] {
  if (typeof input === "string") return [{ type: "user_input", content: [{ type: "text", text: input }] }];
  const all: readonly unknown[] = isRecord(input) ? [input] : Array.isArray(input) ? input : [];
  const list = all.filter(isRecord);
  return list.length > 0 && isContents(list) ? [{ type: "user_input", content: list }] : list;
}

export function parseTurns(fields: Fields): readonly Turn[] {
  // A request may have instructions only.
  if (!fields.has("input") && fields.has("system_instruction")) return [];
  const input = fields.need("input");
  if (typeof input === "string" || isContents(fields.list("input") ?? []))
    return [{ role: "user", parts: parseContent(fields, "input") }];
  const dialogue = new TurnCollector();
  for (const step of fields.each("input", maxSteps)) readStep(dialogue, step);
  return dialogue.turns;
}

function readStep(dialogue: TurnCollector, step: Fields): void {
  const envelope = envelopeOfStep(step);
  if (envelope !== undefined) {
    step.whole();
    dialogue.attach(envelope);
    return;
  }
  const parsed = parseModelStep(step);
  if (parsed !== undefined) dialogue.add("assistant", parsed, true);
  else if (step.value["type"] === "user_input") dialogue.add("user", parseContent(step, "content"), true);
  else dialogue.answer(parseResult(step));
}
