/** Prints progress to stderr, because stdout belongs to the task. */
export function say(words) {
  process.stderr.write(`${words}\n`);
}

/** Prints an error as one sentence, and sets a failing exit status. */
export function fail(error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
