import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { hasOwnTurns, recordAt, toolsIn } from "./check-setup.ts";
import { camel, recordsIn } from "./message.ts";

/** Settings of a setup that say something to the vendor's own models only. */
export const settingsOfOwnModels = [
  "contextWindowCompression",
  "proactivity",
  "historyConfig",
  "explicitVadSignal",
  "avatarConfig",
  "safetySettings",
];

/** What of each part of a setup a session in the realtime format has too. */
const sayable = {
  generation: ["responseModalities", "maxOutputTokens", "speechConfig"],
  speech: ["voiceConfig"],
  turns: ["automaticActivityDetection", "activityHandling"],
  detection: ["disabled", "prefixPaddingMs", "silenceDurationMs"],
  function: ["name", "description", "parameters", "parametersJsonSchema"],
};

/**
 * The settings of a live client that a session in the realtime format lacks, as paths within the setup: the session goes on
 * without them. `voice` and `transcriber` are what it has in place of the client's.
 */
export function lostSettings(
  setup: JsonRecord,
  { voice, transcriber }: { readonly voice: string | undefined; readonly transcriber: string | undefined },
): readonly string[] {
  const config = recordAt(setup, "generationConfig");
  const speech = recordAt(config, "speechConfig");
  const turns = recordAt(setup, "realtimeInputConfig");
  const detection = recordAt(turns, "automaticActivityDetection");
  const functions = toolsIn(setup).flatMap(({ functionDeclarations }) =>
    recordsIn(functionDeclarations, "setup.tools.functionDeclarations"),
  );
  const lost = [
    ...settingsOfOwnModels.filter((name) => isSaid(setup[name])),
    ...others("generationConfig", config, sayable.generation),
    ...others("generationConfig.speechConfig", speech, sayable.speech),
    ...(isRecord(speech["voiceConfig"]) && voice === undefined ? ["generationConfig.speechConfig.voiceConfig"] : []),
    ...others("realtimeInputConfig", turns, sayable.turns),
    ...(hasOwnTurns(setup)
      ? []
      : others("realtimeInputConfig.automaticActivityDetection", detection, sayable.detection)),
    ...(isRecord(setup["inputAudioTranscription"]) && transcriber === undefined ? ["inputAudioTranscription"] : []),
    ...functions.flatMap((each) => others("tools.functionDeclarations", camel(each), sayable.function)),
  ];
  return [...new Set(lost)];
}

/** Paths of the members that stand in a part of a setup and are not among the known. */
function others(path: string, part: JsonRecord, known: readonly string[]): readonly string[] {
  const names = Object.keys(part).filter((name) => isSaid(part[name]) && !known.includes(name));
  return names.map((name) => `${path}.${name}`);
}

function isSaid(value: unknown): boolean {
  return (value ?? undefined) !== undefined;
}
