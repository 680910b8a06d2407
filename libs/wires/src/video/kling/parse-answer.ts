import { Failure } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { own } from "../../json/own.ts";
import { startedAs, unseen, type Sighting, type StateWords } from "../hub/sighting.ts";

/** Trailing "ed" or not: the vendor's documents and its answers differ. */
const states: StateWords = {
  submitted: "queued",
  processing: "in_progress",
  succeed: "completed",
  succeeded: "completed",
  failed: "failed",
};
/** How long the vendor keeps a video. */
const keptMs = 30 * 86_400_000;

/** The vendor's name of a new task. Throws Failure upstream_error where the answer has none or is a refusal. */
export function parseStarted(body: JsonRecord): string {
  if (body["code"] !== 0 || !isRecord(body["data"]))
    throw new Failure("upstream_error", "The vendor did not accept the task.");
  return startedAs(new Fields(body["data"]), "task_id");
}

/** What the vendor says of a task. */
export function parseSighting(body: JsonRecord): Sighting {
  const data = body["data"];
  if (body["code"] !== 0 || !isRecord(data)) return unseen;
  const word = data["task_status"];
  const state = typeof word === "string" ? own(states, word) : undefined;
  if (state === undefined) return unseen;
  if (state === "failed") {
    const message = data["task_status_msg"];
    return {
      kind: "failed",
      error: { code: "upstream_error", message: typeof message === "string" && message !== "" ? message : "failed" },
    };
  }
  if (state === "completed") {
    const url = videoUrl(data["task_result"]);
    const updated = data["updated_at"];
    // A vendor that says "done" before the address is there is looked at again.
    if (url === undefined) return { kind: "seen", state: "in_progress" };
    return {
      kind: "finished",
      result: { url, expiresAt: typeof updated === "number" ? updated + keptMs : undefined },
    };
  }
  return { kind: "seen", state };
}

function videoUrl(result: unknown): string | undefined {
  const videos = isRecord(result) ? result["videos"] : undefined;
  const first: unknown = Array.isArray(videos) ? videos[0] : undefined;
  return isRecord(first) && typeof first["url"] === "string" ? first["url"] : undefined;
}
