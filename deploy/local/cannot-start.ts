import { ChildEnded } from "./child.ts";
import { serviceMessageIn } from "./service-messages.ts";

/** Exit status of a service with an invalid configuration (EX_CONFIG). */
const configurationStatus = 78;
const shownLines = 8;

/** Failure that a person can correct. Only its message is printed. */
export class CannotStart extends Error {}

/** Returns the text about a failure. A service has already printed the problem of an invalid configuration. */
export function failureText(error: unknown): string {
  if (error instanceof CannotStart) return error.message;
  if (error instanceof ChildEnded)
    return error.status === configurationStatus
      ? "modelgate did not start: fix the problem above and start it again."
      : `${error.message}${lastLines(error.logs)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Returns the last lines of an output, as the end of a sentence. */
export function lastLines(logs: string): string {
  const lines = logs
    .trim()
    .split("\n")
    .slice(-shownLines)
    .map((line) => serviceMessageIn(line)?.words ?? line);
  return logs.trim() === "" ? ", without output." : `; its last lines:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
