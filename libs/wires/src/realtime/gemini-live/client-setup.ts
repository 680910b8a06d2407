import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, asRecord, type JsonRecord } from "@modelgate/formats/json";
import { toJsonSchema } from "../../text/content/schema.ts";
import { unsupportedFailure } from "../../text/hub/request.ts";
import { isSet, unsupportedMembers } from "./vendor-settings.ts";
import { unsupportedByVendor } from "../hub/message.ts";
import { toCamelCase, parseObjectList } from "./client-message.ts";

/** Checks a setup. Throws Failure for a resumption handle, which may belong to another account. */
export function checkSetup(setup: JsonRecord, allowsVendorTools: boolean): JsonRecord {
  const { sessionResumption: _, ...rest } = setup;
  if ((objectAt(setup, "sessionResumption")["handle"] ?? "") !== "")
    throw unsupportedFailure(
      "setup.sessionResumption.handle",
      "Sessions cannot be resumed through this gateway: start a new one, and send its history as clientContent.",
    );
  const tools = toolsIn(setup);
  const unsupportedTool = tools.flatMap((tool) => Object.keys(tool)).find((name) => name !== "functionDeclarations");
  if (unsupportedTool !== undefined && !allowsVendorTools)
    throw unsupportedFailure(
      "setup.tools",
      `setup.tools has ${unsupportedTool}, which the vendor runs, but this model has no price for it. Leave it out, or ask the operator to allow it.`,
    );
  return tools.length === 0 ? rest : { ...rest, tools };
}

export function requestsHandles({ sessionResumption }: JsonRecord): boolean {
  return isRecord(sessionResumption);
}

function toolsIn({ tools }: JsonRecord): readonly JsonRecord[] {
  return parseObjectList(tools, "setup.tools");
}

function functionsIn(setup: JsonRecord): readonly JsonRecord[] {
  return toolsIn(setup).flatMap(({ functionDeclarations }) =>
    parseObjectList(functionDeclarations, "setup.tools.functionDeclarations"),
  );
}

export function setupMarksTurns(setup: JsonRecord): boolean {
  return objectAt(setup, "realtimeInputConfig", "automaticActivityDetection")["disabled"] === true;
}

function objectAt(value: JsonRecord, ...path: readonly string[]): JsonRecord {
  return path.reduce<JsonRecord>((record, name) => toCamelCase(asRecord(record[name])), value);
}

/** Message of the Live API which states that no resumption handle is available. */
export const noHandleMessage = { sessionResumptionUpdate: { resumable: false } };

const geminiOnlySettings =
  "contextWindowCompression proactivity historyConfig explicitVadSignal avatarConfig safetySettings labels".split(" ");

/** Members of Gemini's setup that the realtime format can express. */
const supportedMembers = {
  generation: ["responseModalities", "maxOutputTokens", "speechConfig"],
  speech: ["voiceConfig"],
  realtimeInput: ["automaticActivityDetection", "activityHandling"],
  detection: ["disabled", "prefixPaddingMs", "silenceDurationMs"],
  function: ["name", "description", "parameters", "parametersJsonSchema"],
};

/** Returns the client's settings that the realtime format lacks. */
export function droppedSettings(setup: JsonRecord, transcriber: string | undefined): readonly string[] {
  const config = objectAt(setup, "generationConfig");
  const speech = objectAt(config, "speechConfig");
  const realtimeInput = objectAt(setup, "realtimeInputConfig");
  const detection = objectAt(realtimeInput, "automaticActivityDetection");
  const losesVoice = isRecord(speech["voiceConfig"]) && voiceOf(setup) === undefined;
  const unsupportedNames = [
    ...geminiOnlySettings.filter((name) => isSet(setup[name])),
    ...unsupportedMembers("generationConfig", config, supportedMembers.generation),
    ...unsupportedMembers("generationConfig.speechConfig", speech, supportedMembers.speech),
    ...(losesVoice ? ["generationConfig.speechConfig.voiceConfig"] : []),
    ...unsupportedMembers("realtimeInputConfig", realtimeInput, supportedMembers.realtimeInput),
    ...(setupMarksTurns(setup)
      ? []
      : unsupportedMembers("realtimeInputConfig.automaticActivityDetection", detection, supportedMembers.detection)),
    ...(isRecord(setup["inputAudioTranscription"]) && transcriber === undefined ? ["inputAudioTranscription"] : []),
    ...functionsIn(setup).flatMap((each) =>
      unsupportedMembers("tools.functionDeclarations", each, supportedMembers.function),
    ),
  ];
  return [...new Set(unsupportedNames)];
}

/** Voices of OpenAI. Any other voice is replaced by OpenAI's default. */
const voices: ReadonlySet<string> = new Set("alloy ash ballad cedar coral echo marin sage shimmer verse".split(" "));
const knownMembers: ReadonlySet<string> = new Set([
  ...geminiOnlySettings,
  ...(
    "sessionResumption model generationConfig systemInstruction tools realtimeInputConfig inputAudioTranscription " +
    "outputAudioTranscription"
  ).split(" "),
]);
const defaultSilenceMs = 500;

/** Converts a setup to session settings. `transcriber` is the model that transcribes the client's speech. */
export function sessionOfSetup(setup: JsonRecord, transcriber: string | undefined): JsonRecord {
  const unknown = Object.keys(setup).find((name) => !knownMembers.has(name));
  if (unknown !== undefined) throw unsupportedByVendor(`setup.${unknown}`);
  const { responseModalities: modalities, maxOutputTokens, translationConfig } = objectAt(setup, "generationConfig");
  // Without it, the model would answer the speech instead of translating it.
  if (isSet(translationConfig)) throw unsupportedByVendor("setup.generationConfig.translationConfig");
  const isText = Array.isArray(modalities) && modalities.length === 1 && modalities[0] === "TEXT";
  const transcribes = isRecord(setup["inputAudioTranscription"]) && transcriber !== undefined;
  return {
    type: "realtime",
    output_modalities: [isText ? "text" : "audio"],
    audio: {
      input: withoutUndefined({
        format: { type: "audio/pcm", rate: 24_000 },
        turn_detection: turnDetection(setup),
        transcription: transcribes ? { model: transcriber } : undefined,
      }),
      output: withoutUndefined({ format: { type: "audio/pcm", rate: 24_000 }, voice: voiceOf(setup) }),
    },
    ...withoutUndefined({
      instructions: contentText(setup["systemInstruction"]),
      max_output_tokens: typeof maxOutputTokens === "number" ? maxOutputTokens : undefined,
      tools: functionsOf(setup),
    }),
  };
}

export function silenceDurationMs(setup: JsonRecord): number {
  const { silenceDurationMs: ms } = objectAt(setup, "realtimeInputConfig", "automaticActivityDetection");
  return typeof ms === "number" ? ms : defaultSilenceMs;
}

function turnDetection(setup: JsonRecord): JsonRecord | null {
  if (setupMarksTurns(setup)) return null;
  const config = objectAt(setup, "realtimeInputConfig");
  const { prefixPaddingMs, silenceDurationMs } = objectAt(config, "automaticActivityDetection");
  return {
    type: "server_vad",
    ...withoutUndefined({
      prefix_padding_ms: typeof prefixPaddingMs === "number" ? prefixPaddingMs : undefined,
      silence_duration_ms: typeof silenceDurationMs === "number" ? silenceDurationMs : undefined,
      interrupt_response: config["activityHandling"] === "NO_INTERRUPTION" ? false : undefined,
    }),
  };
}

function voiceOf(setup: JsonRecord): string | undefined {
  const path = ["generationConfig", "speechConfig", "voiceConfig", "prebuiltVoiceConfig"];
  const { voiceName: name } = objectAt(setup, ...path);
  return typeof name === "string" && voices.has(name.toLowerCase()) ? name.toLowerCase() : undefined;
}

function contentText(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!isRecord(content)) return undefined;
  const texts = parseObjectList(content["parts"], "setup.systemInstruction.parts").map(({ text }) => text);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function functionsOf(setup: JsonRecord): readonly JsonRecord[] | undefined {
  const declared = functionsIn(setup);
  if (declared.length === 0) return undefined;
  return declared.map(({ name, description, parameters, parametersJsonSchema }) =>
    withoutUndefined({
      type: "function",
      name,
      description,
      parameters: parametersJsonSchema ?? (parameters === undefined ? undefined : toJsonSchema(parameters)),
    }),
  );
}
