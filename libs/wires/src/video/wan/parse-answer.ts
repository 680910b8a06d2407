import { Failure } from "@modelgate/contracts";
import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { own } from "../../json/own.ts";
import { startedAs, unseen, type Sighting, type StateWords } from "../hub/sighting.ts";

const states: StateWords = {
  PENDING: "queued",
  SUSPENDED: "queued",
  RUNNING: "in_progress",
  SUCCEEDED: "completed",
  FAILED: "failed",
  CANCELED: "failed",
};
/** How long the address of a video is good. */
const keptMs = 86_400_000;

/** The vendor's name of a new task. Throws Failure upstream_error where the answer has none. */
export function parseStarted({ output }: JsonRecord): string {
  if (!isRecord(output)) throw new Failure("upstream_error", "The vendor did not accept the task.");
  return startedAs(new Fields(output), "task_id");
}

/** What the vendor says of a task: its state, and where it has failed its own code and words. */
export function parseSighting({ output }: JsonRecord): Sighting {
  if (!isRecord(output)) return unseen;
  const { task_status: word, code, message } = output;
  // A task that is unknown, or older than a day.
  if (word === "UNKNOWN") return { kind: "absent" };
  const state = typeof word === "string" ? own(states, word) : undefined;
  if (state === undefined) return unseen;
  if (state === "failed")
    return {
      kind: "failed",
      error: {
        code: typeof code === "string" ? code : "upstream_error",
        message: typeof message === "string" ? message : `The vendor says that the task has ${String(word)}.`,
      },
    };
  if (state !== "completed") return { kind: "seen", state };
  const url = urlIn(output);
  return url === undefined ? { kind: "seen", state: "in_progress" } : { kind: "finished", result: { url, keptMs } };
}

/** Some models have it one level deeper. */
function urlIn({ video_url: url, results }: JsonRecord): string | undefined {
  const found = url ?? (isRecord(results) ? results["video_url"] : undefined);
  return typeof found === "string" && found !== "" ? found : undefined;
}
