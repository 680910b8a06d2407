import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { own } from "../../json/own.ts";
import { readProgress, startedAs, unseen, type Sighting, type StateWords } from "../hub/sighting.ts";

/** The words that vendors of this wire use, in lower case. */
const states: StateWords = {
  queued: "queued",
  submitted: "queued",
  pending: "queued",
  not_start: "queued",
  in_progress: "in_progress",
  processing: "in_progress",
  running: "in_progress",
  generating: "in_progress",
  completed: "completed",
  succeeded: "completed",
  succeed: "completed",
  success: "completed",
  done: "completed",
  finished: "completed",
  failed: "failed",
  failure: "failed",
  error: "failed",
  cancelled: "failed",
  canceled: "failed",
  expired: "failed",
};

/** The vendor's name of a new task. Throws Failure upstream_error where the answer has none. */
export function parseStarted(body: JsonRecord): string {
  return startedAs(new Fields(body), body["task_id"] === undefined ? "id" : "task_id");
}

/** What the vendor says of a task; some wrap it into `data`. */
export function parseSighting(body: JsonRecord): Sighting {
  const task = isRecord(body["data"]) && body["status"] === undefined ? body["data"] : body;
  const word = task["status"];
  const state = typeof word === "string" ? own(states, word.toLowerCase()) : undefined;
  if (state === undefined) return unseen;
  if (state === "completed") {
    const { url, result_url: result, video_url: video, metadata } = task;
    const urls = [url, result, video, isRecord(metadata) ? metadata["url"] : undefined];
    return { kind: "finished", result: { url: urls.filter((each) => typeof each === "string").find(Boolean) } };
  }
  if (state === "failed") return { kind: "failed", error: errorOf(task) };
  return { kind: "seen", state, progress: readProgress(task["progress"]) };
}

function errorOf(task: JsonRecord): { readonly code: string; readonly message: string } {
  const { code, message } = isRecord(task["error"]) ? task["error"] : {};
  const words = message ?? task["fail_reason"];
  return {
    code: typeof code === "string" || typeof code === "number" ? String(code) : "upstream_error",
    message: typeof words === "string" && words !== "" ? words : "The vendor says that the task has failed.",
  };
}
