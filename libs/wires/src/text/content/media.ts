import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { StoreDialect } from "../../vendor-stores/members.ts";
import type { JsonObject } from "../hub/request.ts";
import { bytesMedia, remoteFile, textAt, type Media } from "../media.ts";

/** Measures a part with bytes in line, or in a file elsewhere, in both spellings. */
export function measurePart(part: JsonRecord): Media | undefined {
  const inline = part["inlineData"] ?? part["inline_data"];
  if (isRecord(inline)) {
    const type = textAt(inline, "mimeType") || textAt(inline, "mime_type");
    return bytesMedia(type, textAt(inline, "data"));
  }
  return isRecord(part["fileData"] ?? part["file_data"]) ? remoteFile : undefined;
}

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

/** Requests for generated content: which of their members are the client's own JSON. */
export const stores: StoreDialect = {
  opaque: [
    "args",
    "response",
    "parameters",
    "parameters_json_schema",
    "response_schema",
    "response_json_schema",
    "response_format",
    "labels",
  ],
};
