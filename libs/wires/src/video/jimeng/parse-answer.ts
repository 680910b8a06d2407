import { Failure } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { startedAs, unseen, type Sighting } from "../hub/sighting.ts";

const success = 10_000;
/** Codes that say nothing of the task: a key that may not, too fast, too many at once, the vendor's own trouble. */
const passing: ReadonlySet<unknown> = new Set([50_400, 50_401, 50_402, 50_403, 50_429, 50_430, 50_500, 50_501]);
/** How long the address of a video is good. */
const keptMs = 3_600_000;

/** The vendor's name of a new task. Throws Failure upstream_error where the answer has none or is a refusal. */
export function parseStarted(body: JsonRecord): string {
  if (body["code"] !== success || !isRecord(body["data"]))
    throw new Failure("upstream_error", "The vendor did not accept the task.");
  return startedAs(new Fields(body["data"]), "task_id");
}

/** What the vendor says of a task: first its code, then its word for the state. */
export function parseSighting(body: JsonRecord): Sighting {
  const { code, message, data } = body;
  const { status, video_url: url } = isRecord(data) ? data : {};
  if (typeof code !== "number" || (passing.has(code) && status !== "done")) return unseen;
  if (code !== success)
    return {
      kind: "failed",
      error: { code: String(code), message: typeof message === "string" ? message : "The vendor refused the task." },
    };
  switch (status) {
    case "in_queue":
      return { kind: "seen", state: "queued" };
    case "generating":
      return { kind: "seen", state: "in_progress" };
    case "done":
      if (typeof url !== "string" || url === "") return { kind: "seen", state: "in_progress" };
      return { kind: "finished", result: { url, keptMs } };
    case "not_found":
      return { kind: "absent" };
    case "expired":
      return { kind: "failed", error: { code: "expired", message: "The vendor let the task expire." } };
    default:
      return unseen;
  }
}
