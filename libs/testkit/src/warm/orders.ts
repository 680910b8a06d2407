/** Message to a warm process: run a program with only these variables, or end the running program. */
export type WarmOrder =
  | { readonly run: string; readonly env: Readonly<Record<string, string>> }
  | { readonly end: true };

/** Text that a warm process writes to stdout when it is ready for the next run. */
export const runEndMark = "\u001E the run is over\n";
