import { Fields, isRecord, type JsonRecord } from "../../json/fields.ts";
import { readProgress, startedAs, unseen, type Sighting, type StateWords } from "../hub/sighting.ts";
import { own } from "../../json/own.ts";

const states: StateWords = {
  queued: "queued",
  in_progress: "in_progress",
  completed: "completed",
  failed: "failed",
  cancelled: "failed",
  expired: "failed",
};

/** The vendor's name of a new task. Throws Failure upstream_error where the answer has none. */
export function parseStarted(body: JsonRecord): string {
  return startedAs(new Fields(body), "id");
}

/** What the vendor says of a task. */
export function parseSighting(body: JsonRecord): Sighting {
  const { status, error, expires_at: expiry } = body;
  const state = typeof status === "string" ? own(states, status) : undefined;
  if (state === undefined) return unseen;
  if (state === "completed")
    return { kind: "finished", result: { expiresAt: typeof expiry === "number" ? expiry * 1_000 : undefined } };
  if (state === "failed") return { kind: "failed", error: errorOf(error, String(status)) };
  return { kind: "seen", state, progress: readProgress(body["progress"]) };
}

function errorOf(error: unknown, word: string): { readonly code: string; readonly message: string } {
  const { code, message } = isRecord(error) ? error : {};
  return {
    code: typeof code === "string" || typeof code === "number" ? String(code) : "upstream_error",
    message: typeof message === "string" ? message : `The vendor says that the task has ${word}.`,
  };
}
