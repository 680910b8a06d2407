/** Progress goes to stderr: stdout belongs to the task (`gatectl --json` prints one document and nothing else). */
export function say(words) {
  process.stderr.write(`${words}\n`);
}

/** One clear sentence, and a status that says that it failed. */
export function fail(error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
