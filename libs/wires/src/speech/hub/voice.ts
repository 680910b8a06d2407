import { isRecord } from "../../json/fields.ts";
import type { SpeechRequest } from "./request.ts";

/** The voice that a request names, in words or as an object with its id; undefined for none. */
export function voiceOf({ voice }: Pick<SpeechRequest, "voice">): string | undefined {
  const named = isRecord(voice) ? voice["id"] : voice;
  return typeof named === "string" && named !== "" ? named : undefined;
}
