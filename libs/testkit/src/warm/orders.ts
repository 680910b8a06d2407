/** What a test asks of a warm process: to run a program with these variables alone, or to end the one that it runs. */
export type Order = { readonly run: string; readonly env: Readonly<Record<string, string>> } | { readonly end: true };

/** What a warm process writes to stdout, last of a run, once it is ready for the next. */
export const overMark = "\u001E the run is over\n";
