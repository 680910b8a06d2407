import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";

/** What was said on the console or by the process since it was last looked at. */
const said: string[] = [];
const note = (...words: readonly unknown[]): void => void said.push(words.map(String).join(" "));

/** Fails a test in which an SDK, or the runtime, warned of anything. */
export function forbidWarnings(): void {
  beforeAll(() => {
    for (const level of ["warn", "error", "info"] as const) vi.spyOn(console, level).mockImplementation(note);
    process.on("warning", note);
  });
  afterEach(() => {
    expect(said.splice(0)).toEqual([]);
  });
  afterAll(() => {
    vi.restoreAllMocks();
    process.off("warning", note);
  });
}
