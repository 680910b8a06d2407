import { readdirSync } from "node:fs";
import { expect, test } from "vitest";

const kinds = ["images", "moderation", "ranking", "realtime", "speech", "transcripts", "vectors", "video"];

const allowedFiles = /^(?:index|request|answer|stream|pass)\.ts$/;
const sessionFiles = /^(?:index|pass|(?:client|vendor|pass)-[a-z]+)\.ts$/;

const source = new URL("../src/", import.meta.url);

const folders = kinds.flatMap((kind) =>
  readdirSync(new URL(`${kind}/`, source), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && entry.name !== "hub" ? [`${kind}/${entry.name}`] : [],
  ),
);

test.each(folders)("%s has an index, and one file per side of its format", (folder) => {
  const names = readdirSync(new URL(`${folder}/`, source));
  expect(names).toContain("index.ts");
  const files = folder.startsWith("realtime/") ? sessionFiles : allowedFiles;
  expect(names.filter((name) => !files.test(name))).toEqual([]);
});

test.each(kinds)("%s has an index and a README", (kind) => {
  expect(readdirSync(new URL(`${kind}/`, source))).toEqual(expect.arrayContaining(["index.ts", "README.md"]));
});
