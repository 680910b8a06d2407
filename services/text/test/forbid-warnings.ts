import { afterAll, afterEach, beforeAll, expect, vi } from "vitest";

/** Messages on the console and warnings of the process since the last check. */
const warnings: string[] = [];
const note = (...words: readonly unknown[]): void => void warnings.push(words.map(String).join(" "));

/** Fails each test in which an SDK or the runtime writes a message or a warning. */
export function forbidWarnings(): void {
  beforeAll(() => {
    for (const level of ["warn", "error", "info"] as const) vi.spyOn(console, level).mockImplementation(note);
    process.on("warning", note);
  });
  afterEach(() => {
    expect(warnings.splice(0)).toEqual([]);
  });
  afterAll(() => {
    vi.restoreAllMocks();
    process.off("warning", note);
  });
}
