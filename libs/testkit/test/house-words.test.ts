import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/**
 * Words that this house had for too many things, or that hide who does what, stay out of code, comments, texts and
 * documents. The glossary (docs/glossary.md) has the words to use.
 */
const root = join(import.meta.dirname, "../../..");
const self = "libs/testkit/test/house-words.test.ts";

/** What is forbidden, and what to write for it. */
const forbidden: readonly { readonly pattern: RegExp; readonly instead: string; readonly files?: RegExp }[] = [
  { pattern: /(?<![a-z])told(?![a-z])|Told(?![a-z])/, instead: "sent, answered, reported, shown, rendered" },
  { pattern: /(?<![a-z])[Tt]ell(?:s|ing|er)?(?![a-z])|Tell(?=[A-Z])/, instead: "send, report, notify, say, state" },
  { pattern: /\b[Ww]hoever\b|Whoever/, instead: "the one that is meant: caller, reader, operator" },
  { pattern: /\b[Nn]obody\b|Nobody/, instead: "no client, no account, no process; or what is missing" },
  { pattern: /(?<!there )\b(?:is|are|be|was|were) none\b/, instead: "is not a …, is invalid, undefined without one" },
  { pattern: /\b[Ff]ates\b/, instead: "field support" },
  { pattern: /\b[Ii]nlets?\b/, instead: "held stream" },
  {
    pattern: /#places?\b|\b(?:const|let|readonly) places?\b|[({] ?place(?:Of)?[,:(]|(?<!["'`\w])\w+Place\b/,
    instead: "channel key, rest scope, address, position, index, path, range, slot",
    files: /^(?:libs|services)\/[^/]+\/src\//,
  },
];

/** Lines that may have such a word, each for a reason. */
const allowed: readonly { readonly file: RegExp; readonly line: RegExp; readonly why: string }[] = [
  { file: /^deploy\/local\/postgres\.ts$/, line: /nobody/, why: "the user of that name on every Linux" },
  { file: /^e2e\/test\//, line: /"Tell me/, why: "what a user says to a model" },
];

const written = /\.(?:ts|tsx|mjs|md|lua|yaml|yml|sh|html|css)$/;
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
  .toString()
  .split("\n")
  .filter((file) => written.test(file) && file !== self && !/(?:^|\/)pnpm-lock\.yaml$/.test(file));

const lines = files.flatMap((file) => {
  const text = readOrNothing(file);
  return text.split("\n").map((line, at) => ({ file, line, at: at + 1 }));
});

describe("the words of the house", () => {
  test.each(forbidden)("$pattern is not used; write: $instead", ({ pattern, files: where = /^/ }) => {
    const found = lines
      .filter(({ file, line }) => where.test(file) && pattern.test(line))
      .filter((found) => !allowed.some(({ file, line }) => file.test(found.file) && line.test(found.line)))
      .map(({ file, line, at }) => `${file}:${at}: ${line.trim()}`);
    expect(found).toEqual([]);
  });

  test.each(allowed)("the exception for $file is needed: $why", ({ file, line }) => {
    expect(lines.some((found) => file.test(found.file) && line.test(found.line))).toBe(true);
  });
});

/** A file's text; nothing for one that was removed and not yet committed. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch {
    return "";
  }
}
