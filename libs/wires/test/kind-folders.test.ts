import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";

const whole = ["index", "parse-answer", "parse-request", "render-answer", "render-request", "usage"];

/** Files that the folder of every wire of a kind has; text has a test of its own. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  images: ["index", "parse-answer", "render-request"],
  moderation: whole,
  ranking: whole,
  realtime: ["bridge"],
  speech: ["index", "events", "parse-request", "render-request"],
  transcripts: ["index", "events", "parse-answer", "parse-request", "render-request", "usage"],
  vectors: whole,
  video: ["index", "parse-answer", "parse-request", "render-request", "render-task"],
};

/** Wires that vendors alone speak: what renders a request and reads an answer is in their one file. */
const ofVendorsAlone: Readonly<Record<string, readonly string[]>> = {
  speech: ["content", "deepgram", "elevenlabs"],
  transcripts: ["content", "deepgram", "elevenlabs"],
  vectors: ["cohere", "predict", "titan"],
  video: ["seedance", "veo", "wan"],
};

/** Folders of a kind that are no wire of a vendor: the neutral form, moderation by models that chat, what clients alone speak. */
const noWires: ReadonlySet<string> = new Set(["hub", "by-chat", "for-clients"]);

const source = new URL("../src/", import.meta.url);

describe.each(Object.entries(kinds))("%s", (kind, files) => {
  const wires = readdirSync(new URL(`${kind}/`, source), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() && !noWires.has(entry.name) ? [entry.name] : [],
  );

  test.each(wires)("the folder of %s has the files that every wire of its kind has", (wire) => {
    const names = readdirSync(new URL(`${kind}/${wire}/`, source));
    const wanted = ofVendorsAlone[kind]?.includes(wire) === true ? ["index"] : files;
    expect(wanted.filter((name) => !names.includes(`${name}.ts`))).toEqual([]);
  });

  test("has a door and a README", () => {
    const names = readdirSync(new URL(`${kind}/`, source));
    expect(names).toEqual(expect.arrayContaining(["index.ts", "README.md"]));
  });
});
