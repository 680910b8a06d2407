import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { isSaid, otherMembers } from "../said-members.ts";
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
    ...otherMembers("generationConfig", config, sayable.generation),
    ...otherMembers("generationConfig.speechConfig", speech, sayable.speech),
    ...(isRecord(speech["voiceConfig"]) && voice === undefined ? ["generationConfig.speechConfig.voiceConfig"] : []),
    ...otherMembers("realtimeInputConfig", turns, sayable.turns),
    ...(hasOwnTurns(setup)
      ? []
      : otherMembers("realtimeInputConfig.automaticActivityDetection", detection, sayable.detection)),
    ...(isRecord(setup["inputAudioTranscription"]) && transcriber === undefined ? ["inputAudioTranscription"] : []),
    ...functions.flatMap((each) => otherMembers("tools.functionDeclarations", camel(each), sayable.function)),
  ];
  return [...new Set(lost)];
}
