import { isRecord, splitWords, type JsonRecord } from "@modelgate/formats/json";
import type { StoreDialect } from "../../vendor-stores/members.ts";
import { bytesMedia, remoteFile, textAt, type Media } from "../media.ts";

/** Measures a part that has inline bytes or a file's address, in camelCase or snake_case. */
export function measurePart(part: JsonRecord): Media | undefined {
  const inline = part["inlineData"] ?? part["inline_data"];
  if (isRecord(inline)) {
    const type = textAt(inline, "mimeType") || textAt(inline, "mime_type");
    return bytesMedia(type, textAt(inline, "data"));
  }
  return isRecord(part["fileData"] ?? part["file_data"]) ? remoteFile : undefined;
}

/** Voices of OpenAI's wires for speech, chat and sessions; Google refuses them. */
const openaiVoices: ReadonlySet<string> = new Set(
  "alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse".split(" "),
);

/** Renders a voice; undefined for OpenAI's, so that the vendor uses its default. Google's are capitalised. */
export function renderVoice(voice: string): JsonRecord | undefined {
  if (openaiVoices.has(voice.toLowerCase())) return undefined;
  const voiceName = /^[a-z]+$/.test(voice) ? voice.slice(0, 1).toUpperCase() + voice.slice(1) : voice;
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName } } };
}

/** Members of requests that contain the client's own JSON, in which names are not objects of a vendor's store. */
export const contentStores: StoreDialect = {
  opaque: splitWords(`
    args response parameters parameters_json_schema response_schema response_json_schema response_format labels
  `),
};
