import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const kinds = ["images", "moderation", "ranking", "speech", "transcripts", "vectors", "video"];

/** Files of a wire's folder: its sides in `index.ts`, or one file for each side and for its streams. */
const allowed: ReadonlySet<string> = new Set(["index.ts", "request.ts", "answer.ts", "stream.ts", "pass.ts"]);

const source = new URL("../src/", import.meta.url);

const folders = kinds.flatMap((kind) =>
  readdirSync(new URL(`${kind}/`, source), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && entry.name !== "hub" ? [`${kind}/${entry.name}`] : [],
  ),
);

test.each(folders)("%s has an index, and one file for each side of its format", (folder) => {
  const names = readdirSync(new URL(`${folder}/`, source));
  expect(names).toContain("index.ts");
  expect(names.filter((name) => !allowed.has(name))).toEqual([]);
});

test.each(kinds)("%s has an index and a README", (kind) => {
  expect(readdirSync(new URL(`${kind}/`, source))).toEqual(expect.arrayContaining(["index.ts", "README.md"]));
});
