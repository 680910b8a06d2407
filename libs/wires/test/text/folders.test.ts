import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { TextWire } from "../../src/text/hub/wire.ts";
import { wires as textWires } from "../../src/text/wires.ts";

const side = ["request", "answer", "stream"];

const sharedFolders: Readonly<Record<string, string>> = { "ollama-chat": "ollama", "ollama-generate": "ollama" };
const folderOf = (wire: string): string => sharedFolders[wire] ?? wire;

const folder = new URL("../../src/text/", import.meta.url);
const wires: Readonly<Record<string, Pick<TextWire, "client" | "vendor">>> = textWires;

describe.each(Object.entries(wires))("the folder of %s", (wire, { client, vendor }) => {
  test("has one file for each side", () => {
    const files =
      client === undefined || vendor === undefined
        ? side
        : ["pass", "usage", ...side.flatMap((file) => [`client-${file}`, `vendor-${file}`])];
    const expected = ["README.md", ...["index", ...files].map((file) => `${file}.ts`)];
    expect(expected.filter((file) => !existsSync(new URL(`${folderOf(wire)}/${file}`, folder)))).toEqual([]);
  });
});

test("every folder of the text wires is registered, under its own name", () => {
  const folders = readdirSync(folder, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() && each.name !== "hub" ? [each.name] : [],
  );
  expect(folders.toSorted()).toEqual([...new Set(Object.keys(textWires).map(folderOf))].toSorted());
  for (const [key, { name }] of Object.entries(textWires)) expect(name).toBe(key);
});
