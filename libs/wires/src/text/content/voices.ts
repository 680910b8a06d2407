import type { JsonObject } from "../hub/request.ts";

/** Voices of OpenAI's speech, chat and sessions: Google has none of them, and refuses a name that it does not know. */
const foreign: ReadonlySet<string> = new Set(
  "alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse".split(" "),
);

/**
 * The `speechConfig` for a voice that a client names; undefined for one of OpenAI's: the vendor speaks with its usual one.
 * Google's are stars and moons, written large.
 */
export function renderVoice(voice: string): JsonObject | undefined {
  if (foreign.has(voice.toLowerCase())) return undefined;
  const voiceName = /^[a-z]+$/.test(voice) ? voice.slice(0, 1).toUpperCase() + voice.slice(1) : voice;
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName } } };
}
