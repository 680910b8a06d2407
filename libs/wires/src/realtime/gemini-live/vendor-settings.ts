import { Failure } from "@modelgate/contracts";
import { isRecord, asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { renderVoice } from "../../text/content/sources.ts";
import { unsupportedByVendor } from "../hub/message.ts";

const pcmFormat = { type: "audio/pcm", rate: 24_000 };
/**
 * Settings of the realtime format that would change the answer. The vendor lacks them, so they are refused, not
 * dropped.
 */
const refusedSettings = ["prompt", "reasoning", "include", "parallel_tool_calls"];
const knownSettings: ReadonlySet<string> = new Set(
  (
    "type object id model tracing truncation expires_at instructions output_modalities audio tools tool_choice " +
    "max_output_tokens"
  ).split(" "),
);

export function firstSettings(model: string): JsonRecord {
  return {
    type: "realtime",
    model,
    instructions: "",
    output_modalities: ["audio"],
    audio: {
      input: { format: pcmFormat, transcription: null, noise_reduction: null, turn_detection: { type: "server_vad" } },
      output: { format: pcmFormat, voice: "default", speed: 1 },
    },
    tools: [],
    tool_choice: "auto",
    max_output_tokens: "inf",
  };
}

/** Returns the settings with a client's change. Throws Failure (400) for settings that the vendor lacks. */
export function changedSettings(before: JsonRecord, change: JsonRecord, model: string): JsonRecord {
  const requestedModel = change["model"] ?? model;
  if (requestedModel !== model) throw invalidSetting("model", "The model of a session cannot be changed.");
  if ((change["type"] ?? "realtime") !== "realtime") throw unsupportedSetting("type");
  for (const name of refusedSettings) if ((change[name] ?? undefined) !== undefined) throw unsupportedSetting(name);
  for (const name of Object.keys(change))
    if (!knownSettings.has(name))
      throw invalidSetting(name, `This model does not support the setting session.${name}.`);
  const after = mergeRecords(before, change);
  setupOf(after, model);
  return after;
}

export function sessionMarksTurns(settings: JsonRecord): boolean {
  return inputOf(settings)["turn_detection"] === null;
}

export function isSpoken(settings: JsonRecord): boolean {
  const { output_modalities: modalities } = settings;
  return !(Array.isArray(modalities) && modalities.length === 1 && modalities[0] === "text");
}

/** Renders the first message to the vendor. Throws Failure for settings that the vendor lacks. */
export function setupOf(settings: JsonRecord, upstreamModel: string): JsonRecord {
  const input = inputOf(settings);
  const output = asRecord(asRecord(settings["audio"])["output"]);
  const isSpokenAnswer = isSpoken(settings);
  checkFormat("input", input);
  checkFormat("output", output);
  const { max_output_tokens: maxTokens, instructions } = settings;
  return withoutNulls({
    model: modelResourceOf(upstreamModel),
    generationConfig: withoutNulls({
      responseModalities: [isSpokenAnswer ? "AUDIO" : "TEXT"],
      maxOutputTokens: typeof maxTokens === "number" ? maxTokens : undefined,
      speechConfig: isSpokenAnswer ? renderSpeech(output["voice"]) : undefined,
    }),
    systemInstruction:
      typeof instructions === "string" && instructions !== "" ? { parts: [{ text: instructions }] } : undefined,
    tools: toolsOf(settings),
    realtimeInputConfig: renderTurnDetection(input["turn_detection"]),
    inputAudioTranscription: isRecord(input["transcription"]) ? {} : undefined,
    outputAudioTranscription: isSpokenAnswer ? {} : undefined,
  });
}

/** Returns a model's resource path in the Gemini API. */
export function modelResourceOf(upstreamModel: string): string {
  return /^(?:models|projects|publishers|tunedModels)\//.test(upstreamModel)
    ? upstreamModel
    : `models/${upstreamModel}`;
}

function toolsOf({ tools, tool_choice: choice }: JsonRecord): readonly JsonRecord[] | undefined {
  if (choice !== undefined && choice !== "auto" && choice !== "none") throw unsupportedSetting("tool_choice");
  if (!Array.isArray(tools) || tools.length === 0 || choice === "none") return undefined;
  const declarations = tools.map((tool: unknown, index) => {
    if (!isRecord(tool) || tool["type"] !== "function") throw unsupportedSetting(`tools[${index}].type`);
    if (typeof tool["name"] !== "string") throw invalidSetting(`tools[${index}].name`, "A function needs a name.");
    const { name, description, parameters } = tool;
    return withoutNulls({ name, description, parametersJsonSchema: parameters });
  });
  return [{ functionDeclarations: declarations }];
}

function renderTurnDetection(detection: unknown): JsonRecord | undefined {
  if (detection === null) return { automaticActivityDetection: { disabled: true } };
  if (!isRecord(detection)) return undefined;
  if (detection["create_response"] === false) throw unsupportedSetting("audio.input.turn_detection.create_response");
  const { prefix_padding_ms: prefixPaddingMs, silence_duration_ms: silenceDurationMs } = detection;
  const timing = withoutNulls({ prefixPaddingMs, silenceDurationMs });
  return withoutNulls({
    automaticActivityDetection: Object.keys(timing).length > 0 ? timing : undefined,
    activityHandling: detection["interrupt_response"] === false ? "NO_INTERRUPTION" : undefined,
  });
}

function renderSpeech(voice: unknown): JsonRecord | undefined {
  return typeof voice === "string" && voice !== "default" ? renderVoice(voice) : undefined;
}

function checkFormat(name: string, { format }: JsonRecord): void {
  if (!isRecord(format)) return;
  if (format["type"] !== pcmFormat.type) throw unsupportedSetting(`audio.${name}.format.type`);
  if ((format["rate"] ?? pcmFormat.rate) !== pcmFormat.rate) throw unsupportedSetting(`audio.${name}.format.rate`);
}

function inputOf({ audio }: JsonRecord): JsonRecord {
  return asRecord(asRecord(audio)["input"]);
}

function mergeRecords(base: JsonRecord, overrides: JsonRecord): JsonRecord {
  const pairs = Object.entries(overrides).map(([name, value]) => {
    const below = base[name];
    return [name, isRecord(below) && isRecord(value) ? mergeRecords(below, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(pairs) };
}

/** Removes null members, because the vendor does not accept null. */
function withoutNulls(members: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

function unsupportedSetting(name: string): Failure {
  return unsupportedByVendor(`session.${name}`);
}

function invalidSetting(name: string, message: string): Failure {
  return new Failure("invalid_value", message, { param: `session.${name}` });
}

/** Members that the vendor gets, or that describe its fixed behaviour. */
const supported = {
  detection: ["type", "prefix_padding_ms", "silence_duration_ms", "interrupt_response", "create_response"],
  function: ["type", "name", "description", "parameters"],
};

/** Returns the settings that are dropped because the vendor lacks them. */
export function lostSettings(settings: JsonRecord): readonly string[] {
  const input = inputOf(settings);
  const output = asRecord(asRecord(settings["audio"])["output"]);
  const detection = asRecord(input["turn_detection"]);
  const tools = asRecords(settings["tools"]);
  const unsupportedNames = [
    ...pathUnlessEqual("tracing", settings["tracing"], null),
    ...pathUnlessEqual("truncation", settings["truncation"], "auto"),
    ...pathUnlessEqual("audio.input.noise_reduction", input["noise_reduction"], null),
    // The vendor chooses the model and language of transcripts.
    ...unsupportedMembers("audio.input.transcription", asRecord(input["transcription"]), []),
    ...pathUnlessEqual("audio.input.turn_detection.type", detection["type"], "server_vad"),
    ...unsupportedMembers("audio.input.turn_detection", detection, supported.detection),
    ...pathUnlessEqual("audio.output.speed", output["speed"], 1),
    ...(isSpoken(settings) && renderSpeech(output["voice"]) === undefined
      ? pathUnlessEqual("audio.output.voice", output["voice"], "default")
      : []),
    ...tools.flatMap((tool) => unsupportedMembers("tools", tool, supported.function)),
  ];
  return [...new Set(unsupportedNames.map((path) => `session.${path}`))];
}

function pathUnlessEqual(path: string, value: unknown, defaultValue: unknown): readonly string[] {
  return !isSet(value) || value === defaultValue ? [] : [path];
}

export function isSet(value: unknown): boolean {
  return (value ?? undefined) !== undefined;
}

export function unsupportedMembers(
  path: string,
  part: JsonRecord,
  supportedNames: readonly string[],
): readonly string[] {
  const names = Object.keys(part).filter((name) => isSet(part[name]) && !supportedNames.includes(name));
  return names.map((name) => `${path}.${name}`);
}
