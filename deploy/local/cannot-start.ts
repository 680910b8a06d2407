import { ChildEnded } from "./child.ts";
import { complaintIn } from "./complaints.ts";

/** Exit status of a service whose configuration is wrong (EX_CONFIG). */
const configurationStatus = 78;
/** So many of the newest lines of an output are shown. */
const shownLines = 8;

/** Something that a person can mend; said in one sentence, status 1. */
export class CannotStart extends Error {}

/** What a failure is to the person at the terminal; of a wrong configuration the service has said all by now. */
export function explain(error: unknown): string {
  if (error instanceof CannotStart) return error.message;
  if (error instanceof ChildEnded)
    return error.status === configurationStatus
      ? "modelgate did not start: mend what is said above."
      : `${error.message}${lastWords(error.logs)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The newest lines, to follow a statement. */
export function lastWords(logs: string): string {
  const lines = logs
    .trim()
    .split("\n")
    .slice(-shownLines)
    .map((line) => complaintIn(line)?.words ?? line);
  return logs.trim() === "" ? ", without a word." : `; its last words:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
