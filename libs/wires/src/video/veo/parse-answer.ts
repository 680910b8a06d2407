import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { unseen, type Sighting, type VideoResult } from "../hub/sighting.ts";

/** The member of a finished operation at Vertex that holds the film itself. */
export const filmIn = "bytesBase64Encoded";
/** How long the Gemini API keeps a film. */
const keptMs = 2 * 86_400_000;
/** `models/…/operations/…`, or `projects/…/operations/…`. */
const operation = /^(?:(?!\.+\/)[\w.@:-]{1,200}\/){0,10}operations\/[\w-]{1,200}$/;

/** The operation's name. Throws Failure upstream_error where the answer has none. */
export function parseStarted({ name }: JsonRecord): string {
  if (typeof name === "string" && operation.test(name)) return name;
  throw new Failure("upstream_error", "The vendor's answer does not name an operation.");
}

/** What a place's response holds, and where its film is. */
interface Made {
  readonly response: JsonRecord;
  readonly result?: VideoResult | undefined;
}

/** What the vendor says of an operation; `videosOf` reads the response of one of the places. */
export function sightingOf(videosOf: (response: JsonRecord) => Made): (body: JsonRecord) => Sighting {
  return ({ name, done, error, response }) => {
    if (typeof name !== "string") return unseen;
    if (isRecord(error)) return { kind: "failed", error: errorOf(error) };
    if (done !== true) return { kind: "seen", state: "in_progress" };
    const made = videosOf(isRecord(response) ? response : {});
    if (made.result !== undefined) return { kind: "finished", result: made.result };
    return { kind: "failed", error: withoutFilm(made.response) };
  };
}

export function videosOfGemini({ generateVideoResponse }: JsonRecord): Made {
  const response = isRecord(generateVideoResponse) ? generateVideoResponse : {};
  const sample = firstOf(response["generatedSamples"]);
  const { uri } = isRecord(sample["video"]) ? sample["video"] : {};
  return { response, result: typeof uri === "string" ? { url: uri, keptMs } : undefined };
}

export function videosOfVertex(response: JsonRecord): Made {
  const { gcsUri, [filmIn]: bytes } = firstOf(response["videos"]);
  if (typeof gcsUri === "string") return { response, result: { url: gcsUri } };
  return { response, result: typeof bytes === "string" ? {} : undefined };
}

function firstOf(list: unknown): JsonRecord {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isRecord(first) ? first : {};
}

function errorOf({ code, status, message }: JsonRecord): { readonly code: string; readonly message: string } {
  const word = typeof status === "string" ? status : code;
  return {
    code: typeof word === "string" || typeof word === "number" ? String(word) : "upstream_error",
    message: typeof message === "string" ? message : "The vendor says that the operation has failed.",
  };
}

/** Films that the vendor's safety filters hold back are no error of the operation. */
function withoutFilm(response: JsonRecord): { readonly code: string; readonly message: string } {
  const { raiMediaFilteredCount: count, raiMediaFilteredReasons: reasons } = response;
  const said = Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === "string") : [];
  if (said.length === 0 && typeof count !== "number")
    return { code: "upstream_error", message: "The vendor finished the operation without a video." };
  return { code: "rai_media_filtered", message: said.join(" ") || "The vendor's safety filters hold the video back." };
}
