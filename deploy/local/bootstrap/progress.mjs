/** Prints progress to stderr, because stdout belongs to the task. */
export function printProgress(text) {
  process.stderr.write(`${text}\n`);
}

/** Prints an error as one sentence, and sets a failing exit status. */
export function fail(error) {
  printProgress(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
