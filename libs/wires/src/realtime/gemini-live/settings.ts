import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { renderVoice } from "../../text/content/media.ts";

/** A session's settings, as the client wrote them, laid over those that it begins with. */
export type GeminiSettings = JsonRecord;

const pcm = { type: "audio/pcm", rate: 24_000 };
/** GeminiSettings that no other vendor has. They change how an answer is made, so they are refused and not dropped. */
const unsayable = ["prompt", "reasoning", "include", "parallel_tool_calls"];
/** GeminiSettings that say nothing of the answer. */
const harmless: ReadonlySet<string> = new Set(["type", "object", "id", "model", "tracing", "truncation", "expires_at"]);
const known: ReadonlySet<string> = new Set([
  ...harmless,
  "instructions",
  "output_modalities",
  "audio",
  "tools",
  "tool_choice",
  "max_output_tokens",
]);

/** Returns the settings at the beginning of a session. */
export function firstSettings(model: string): GeminiSettings {
  return {
    type: "realtime",
    model,
    instructions: "",
    output_modalities: ["audio"],
    audio: {
      input: { format: pcm, transcription: null, noise_reduction: null, turn_detection: { type: "server_vad" } },
      output: { format: pcm, voice: "default", speed: 1 },
    },
    tools: [],
    tool_choice: "auto",
    max_output_tokens: "inf",
  };
}

/** GeminiSettings with a client's change laid over them. Throws Failure (400) for what this vendor does not support. */
export function changedSettings(before: GeminiSettings, change: JsonRecord, model: string): GeminiSettings {
  const wanted = change["model"] ?? model;
  if (wanted !== model) throw wrong("model", "The model of a session cannot be changed.");
  if ((change["type"] ?? "realtime") !== "realtime") throw unsupported("type");
  for (const name of unsayable) if ((change[name] ?? undefined) !== undefined) throw unsupported(name);
  for (const name of Object.keys(change))
    if (!known.has(name)) throw wrong(name, `There is no setting session.${name} that this model takes.`);
  const after = merged(before, change);
  // Made once to see that it can be said.
  setupOf(after, model);
  return after;
}

/** Tells whether the client ends its turns itself. */
export function isManual(settings: GeminiSettings): boolean {
  return inputOf(settings)["turn_detection"] === null;
}

/** Tells whether answers are spoken. */
export function speaks(settings: GeminiSettings): boolean {
  return !isListOf(settings["output_modalities"], "text");
}

/** The vendor's first message, which fixes everything for the session. Throws Failure for what it cannot say. */
export function setupOf(settings: GeminiSettings, upstreamModel: string): JsonRecord {
  const input = inputOf(settings);
  const output = isRecord(audioOf(settings)["output"]) ? audioOf(settings)["output"] : {};
  const spoken = speaks(settings);
  checkFormats(input, isRecord(output) ? output : {});
  const { max_output_tokens: most, instructions } = settings;
  return withoutNulls({
    model: resourceOf(upstreamModel),
    generationConfig: withoutNulls({
      responseModalities: [spoken ? "AUDIO" : "TEXT"],
      maxOutputTokens: typeof most === "number" ? most : undefined,
      speechConfig: spoken ? speechOf(isRecord(output) ? output["voice"] : undefined) : undefined,
    }),
    systemInstruction:
      typeof instructions === "string" && instructions !== "" ? { parts: [{ text: instructions }] } : undefined,
    tools: toolsOf(settings),
    realtimeInputConfig: turnsOf(input["turn_detection"]),
    inputAudioTranscription: isRecord(input["transcription"]) ? {} : undefined,
    outputAudioTranscription: spoken ? {} : undefined,
  });
}

/** A model as a resource: the Gemini API's, or one of a cloud project, which says so itself. */
export function resourceOf(upstreamModel: string): string {
  return /^(?:models|projects|publishers|tunedModels)\//.test(upstreamModel)
    ? upstreamModel
    : `models/${upstreamModel}`;
}

function toolsOf({ tools, tool_choice: choice }: GeminiSettings): readonly JsonRecord[] | undefined {
  if (choice !== undefined && choice !== "auto" && choice !== "none") throw unsupported("tool_choice");
  if (!Array.isArray(tools) || tools.length === 0 || choice === "none") return undefined;
  const declarations = tools.map((tool: unknown, at) => {
    if (!isRecord(tool) || tool["type"] !== "function") throw unsupported(`tools[${at}].type`);
    if (typeof tool["name"] !== "string") throw wrong(`tools[${at}].name`, "A function needs a name.");
    const { name, description, parameters } = tool;
    return withoutNulls({ name, description, parametersJsonSchema: parameters });
  });
  return [{ functionDeclarations: declarations }];
}

/** Renders the detection of turns. */
function turnsOf(detection: unknown): JsonRecord | undefined {
  if (detection === null) return { automaticActivityDetection: { disabled: true } };
  if (!isRecord(detection)) return undefined;
  if (detection["create_response"] === false) throw unsupported("audio.input.turn_detection.create_response");
  const { prefix_padding_ms: prefixPaddingMs, silence_duration_ms: silenceDurationMs } = detection;
  const heard = withoutNulls({ prefixPaddingMs, silenceDurationMs });
  return withoutNulls({
    automaticActivityDetection: Object.keys(heard).length > 0 ? heard : undefined,
    activityHandling: detection["interrupt_response"] === false ? "NO_INTERRUPTION" : undefined,
  });
}

/** Renders a voice; undefined for the default voice. */
function speechOf(voice: unknown): JsonRecord | undefined {
  return typeof voice === "string" && voice !== "default" ? renderVoice(voice) : undefined;
}

/** Both vendors speak the same samples; what else the realtime format has is not converted. */
function checkFormats(input: JsonRecord, output: JsonRecord): void {
  for (const [name, side] of [
    ["input", input],
    ["output", output],
  ] as const) {
    const { format } = side;
    if (isRecord(format) && format["type"] !== pcm.type) throw unsupported(`audio.${name}.format.type`);
  }
}

/** Returns the settings of sound. */
function audioOf({ audio }: GeminiSettings): JsonRecord {
  return isRecord(audio) ? audio : {};
}

function inputOf(settings: GeminiSettings): JsonRecord {
  const { input } = audioOf(settings);
  return isRecord(input) ? input : {};
}

/** Objects are merged, everything else is replaced. */
function merged(under: JsonRecord, over: JsonRecord): JsonRecord {
  const pairs = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isRecord(below) && isRecord(value) ? merged(below, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(pairs) };
}

function isListOf(value: unknown, only: string): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === only;
}

/** An object without its members that are undefined or null: the vendor knows no null. */
function withoutNulls(members: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

function unsupported(name: string): Failure {
  const param = `session.${name}`;
  return new Failure("unsupported_parameter", `${param} cannot be passed to the vendor of this model.`, { param });
}

function wrong(name: string, say: string): Failure {
  return new Failure("invalid_value", say, { param: `session.${name}` });
}

/** Members of each part of the settings that the vendor is sent, or has already. */
const sayable = {
  detection: ["type", "prefix_padding_ms", "silence_duration_ms", "interrupt_response", "create_response"],
  function: ["type", "name", "description", "parameters"],
};

/**
 * The settings of a session that the vendor lacks, as paths within the event: the session goes on without them. What would
 * change an answer more than this is refused.
 */
export function lostSettings(settings: GeminiSettings): readonly string[] {
  const input = recordIn(audioOf(settings)["input"]);
  const output = recordIn(audioOf(settings)["output"]);
  const detection = recordIn(input["turn_detection"]);
  const tools = Array.isArray(settings["tools"]) ? settings["tools"].filter(isRecord) : [];
  const lost = [
    ...only("tracing", settings["tracing"], null),
    ...only("truncation", settings["truncation"], "auto"),
    ...only("audio.input.noise_reduction", input["noise_reduction"], null),
    // It writes by itself, in whatever language it hears.
    ...otherMembers("audio.input.transcription", recordIn(input["transcription"]), []),
    ...only("audio.input.turn_detection.type", detection["type"], "server_vad"),
    ...otherMembers("audio.input.turn_detection", detection, sayable.detection),
    ...only("audio.output.speed", output["speed"], 1),
    ...(speaks(settings) && speechOf(output["voice"]) === undefined
      ? only("audio.output.voice", output["voice"], "default")
      : []),
    ...tools.flatMap((tool) => otherMembers("tools", tool, sayable.function)),
  ];
  return [...new Set(lost.map((path) => `session.${path}`))];
}

/** The path of a setting, unless it is left out or says what is so anyway. */
function only(path: string, value: unknown, usual: unknown): readonly string[] {
  return !isSaid(value) || value === usual ? [] : [path];
}

function recordIn(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** Tells whether a client has set a member: null counts as absent. */
export function isSaid(value: unknown): boolean {
  return (value ?? undefined) !== undefined;
}

/** Paths of the members that are set in a part of a client's settings and are not among the known. */
export function otherMembers(path: string, part: JsonRecord, known: readonly string[]): readonly string[] {
  const names = Object.keys(part).filter((name) => isSaid(part[name]) && !known.includes(name));
  return names.map((name) => `${path}.${name}`);
}
