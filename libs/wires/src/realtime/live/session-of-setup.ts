import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { isSaid, otherMembers } from "../gemini-live/settings.ts";
import { hasOwnTurns, recordAt, toolsIn } from "./check-setup.ts";
import { camel, recordsIn } from "./message.ts";
import { jsonSchemaOf } from "../../text/content/schema.ts";

/** Settings of a setup that say something to the vendor's own models only. */
const settingsOfOwnModels = [
  "contextWindowCompression",
  "proactivity",
  "historyConfig",
  "explicitVadSignal",
  "avatarConfig",
  "safetySettings",
];

/** Members of each part of a setup that the realtime format has too. */
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

/** Voices of the realtime format's own vendor; it speaks with its usual one in place of another vendor's. */
const voices: ReadonlySet<string> = new Set("alloy ash ballad cedar coral echo marin sage shimmer verse".split(" "));
const known: ReadonlySet<string> = new Set([
  ...settingsOfOwnModels,
  "sessionResumption",
  "model",
  "generationConfig",
  "systemInstruction",
  "tools",
  "realtimeInputConfig",
  "inputAudioTranscription",
  "outputAudioTranscription",
]);
const silentMs = 500;

/**
 * A live client's setup as the settings of a session in the realtime format; `transcriber` writes down the client's speech
 * where it wants that. Throws Failure for what cannot be said.
 */
export function sessionOfSetup(setup: JsonRecord, transcriber: string | undefined): JsonRecord {
  const unknown = Object.keys(setup).find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new Failure("unsupported_parameter", `setup.${unknown} cannot be passed to the vendor of this model.`, {
      param: `setup.${unknown}`,
    });
  const config = recordAt(setup, "generationConfig");
  const spoken = speaks(setup);
  const most = config["maxOutputTokens"];
  const writes = isRecord(setup["inputAudioTranscription"]) && transcriber !== undefined;
  return {
    type: "realtime",
    output_modalities: [spoken ? "audio" : "text"],
    audio: {
      input: present({
        format: { type: "audio/pcm", rate: 24_000 },
        turn_detection: detectionOf(setup),
        transcription: writes ? { model: transcriber } : undefined,
      }),
      output: present({ format: { type: "audio/pcm", rate: 24_000 }, voice: voiceOf(config) }),
    },
    ...present({
      instructions: wordsIn(setup["systemInstruction"]),
      max_output_tokens: typeof most === "number" ? most : undefined,
      tools: functionsOf(setup),
    }),
  };
}

/** Tells whether answers are spoken. */
function speaks(setup: JsonRecord): boolean {
  const { responseModalities: wanted } = recordAt(setup, "generationConfig");
  return !(Array.isArray(wanted) && wanted.length === 1 && wanted[0] === "TEXT");
}

/** Returns the silence at the end of a turn. */
export function silentMsOf(setup: JsonRecord): number {
  const { silenceDurationMs: said } = recordAt(recordAt(setup, "realtimeInputConfig"), "automaticActivityDetection");
  return typeof said === "number" ? said : silentMs;
}

function detectionOf(setup: JsonRecord): JsonRecord | null {
  if (hasOwnTurns(setup)) return null;
  const config = recordAt(setup, "realtimeInputConfig");
  const { prefixPaddingMs, silenceDurationMs } = recordAt(config, "automaticActivityDetection");
  return {
    type: "server_vad",
    ...present({
      prefix_padding_ms: typeof prefixPaddingMs === "number" ? prefixPaddingMs : undefined,
      silence_duration_ms: typeof silenceDurationMs === "number" ? silenceDurationMs : undefined,
      interrupt_response: config["activityHandling"] === "NO_INTERRUPTION" ? false : undefined,
    }),
  };
}

/** The voice that a client asks for, where the vendor has it. */
export function voiceOf(config: JsonRecord): string | undefined {
  const voice = recordAt(recordAt(recordAt(config, "speechConfig"), "voiceConfig"), "prebuiltVoiceConfig");
  const name = voice["voiceName"];
  return typeof name === "string" && voices.has(name.toLowerCase()) ? name.toLowerCase() : undefined;
}

/** The words of a content, which may also be a string. */
function wordsIn(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!isRecord(content)) return undefined;
  const texts = recordsIn(content["parts"], "setup.systemInstruction.parts").map(({ text }) => text);
  return texts.filter((text) => typeof text === "string").join("\n");
}

function functionsOf(setup: JsonRecord): readonly JsonRecord[] | undefined {
  const declared = toolsIn(setup).flatMap(({ functionDeclarations }) =>
    recordsIn(functionDeclarations, "setup.tools.functionDeclarations"),
  );
  if (declared.length === 0) return undefined;
  return declared.map((each) => {
    const { name, description, parameters, parametersJsonSchema } = camel(each);
    return present({
      type: "function",
      name,
      description,
      parameters: parametersJsonSchema ?? (parameters === undefined ? undefined : jsonSchemaOf(parameters)),
    });
  });
}
