import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { TextCodec } from "../../src/text/hub/codec.ts";
import { textCodecs } from "../../src/text/codecs.ts";

/** Files that a part of a codec always has. */
const filesOf = {
  client: ["ask", "endings", "parse-request", "render-answer", "writer"],
  vendor: ["begins", "endings", "fees", "field-support", "parse-answer", "reader", "render-request", "usage"],
  pass: ["pass"],
  /** A wire that stands at both ends of a conversion. */
  both: [
    "answer-parts",
    "dialogue",
    "early-end",
    "parse-parts",
    "parse-tools",
    "parse-turns",
    "render-parts",
    "render-tools",
    "render-turns",
    "seals",
    "stores",
    "words",
  ],
} as const;

/** Ideas that not every wire has; a wire that has one calls its file so. */
const shared: ReadonlySet<string> = new Set([
  ...filesOf.both,
  "cache",
  "citations",
  "count",
  "media",
  "models",
  "part-reader",
  "part-writer",
  "render-documents",
  "search",
  "thinking",
]);

/** Ideas of one wire alone. One that a second wire gets moves to the list above. */
const own: Readonly<Record<keyof typeof textCodecs, readonly string[]>> = {
  chat: [
    "audio-reader",
    "call-reader",
    "chunks",
    "detail-reader",
    "dialect",
    "dialect-codec",
    "failure",
    "parse-model",
  ],
  responses: [
    "item-ids",
    "namespaces",
    "open-call",
    "open-item",
    "open-message",
    "open-reasoning",
    "parse-items",
    "response-object",
  ],
  messages: ["cache-marks", "collect-message", "end-user", "parse-documents", "parse-sources", "sampling"],
  content: ["call-values", "framing", "probabilities", "schema", "voices"],
  completions: ["echo", "log-probabilities", "parse-prompts", "stream-answers"],
  converse: [],
  "ollama-chat": ["form", "image-type", "last-line", "loaded", "waiting-calls"],
  "ollama-generate": [],
};

/** Wires that differ in little share a folder. */
const sharedFolders: Readonly<Record<string, string>> = { "ollama-chat": "ollama", "ollama-generate": "ollama" };
const folderOf = (wire: string): string => sharedFolders[wire] ?? wire;
const ownIn = (wire: string): readonly string[] =>
  Object.entries(own).flatMap(([other, names]) => (folderOf(other) === folderOf(wire) ? names : []));

const folder = new URL("../../src/text/", import.meta.url);
const filesIn = (wire: string): readonly string[] => readdirSync(new URL(`${folderOf(wire)}/`, folder)).toSorted();
const codecs: Readonly<Record<string, Pick<TextCodec, "client" | "vendor" | "pass">>> = textCodecs;

describe.each(Object.keys(own))("the folder of %s", (wire) => {
  const { client, vendor, pass } = codecs[wire] ?? {};
  const required = new Set([
    "index",
    ...(client === undefined ? [] : filesOf.client),
    ...(vendor === undefined ? [] : filesOf.vendor),
    ...(pass === undefined ? [] : filesOf.pass),
    ...(client === undefined || vendor === undefined ? [] : filesOf.both),
  ]);

  test("has a file for every idea that its codec's parts have", () => {
    const files = filesIn(wire);
    expect([...required].filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
    expect(files).toContain("README.md");
  });

  test("has no other name for an idea of all wires", () => {
    const names = filesIn(wire).flatMap((file) => (file.endsWith(".ts") ? [file.slice(0, -3)] : []));
    const known = new Set([...required, ...shared, ...ownIn(wire)]);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});

test("every folder of the text wires is a line of the registry, under its own name", () => {
  const folders = readdirSync(folder, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() && each.name !== "hub" ? [each.name] : [],
  );
  expect(folders.toSorted()).toEqual([...new Set(Object.keys(textCodecs).map(folderOf))].toSorted());
  for (const [key, { name }] of Object.entries(textCodecs)) expect(name).toBe(key);
});

test("an idea of one wire alone stands in no other folder", () => {
  const all = Object.values(own).flat();
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
});
