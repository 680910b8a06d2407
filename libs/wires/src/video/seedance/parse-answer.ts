import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { own } from "../../json/own.ts";
import { startedAs, unseen, type Sighting, type StateWords } from "../hub/sighting.ts";

const states: StateWords = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  cancelled: "failed",
  expired: "failed",
};
/** How long the address of a video is good. */
const keptMs = 86_400_000;

/** The vendor's name of a new task. Throws Failure upstream_error where the answer has none. */
export function parseStarted(body: JsonRecord): string {
  return startedAs(new Fields(body), "id");
}

/** What the vendor says of a task. */
export function parseSighting({ status: word, content, error }: JsonRecord): Sighting {
  const state = typeof word === "string" ? own(states, word) : undefined;
  if (state === undefined) return unseen;
  if (state === "failed") return { kind: "failed", error: errorOf(error, String(word)) };
  if (state !== "completed") return { kind: "seen", state };
  const { video_url: url } = isRecord(content) ? content : {};
  return typeof url === "string" && url !== ""
    ? { kind: "finished", result: { url, keptMs } }
    : { kind: "seen", state: "in_progress" };
}

function errorOf(error: unknown, word: string): { readonly code: string; readonly message: string } {
  const { code, message } = isRecord(error) ? error : {};
  return {
    code: typeof code === "string" ? code : "upstream_error",
    message: typeof message === "string" ? message : `The vendor says that the task has ${word}.`,
  };
}
