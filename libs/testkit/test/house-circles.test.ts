import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

test("no file imports itself through other files, not even a type", () => {
  const files = globSync("{libs,services}/*/src/**/*.ts", { cwd: root });
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  expect(imports.size).toBeGreaterThan(500);
  expect(importCycles(imports)).toEqual([]);
});

test("an import cycle is found, and reported with its files", () => {
  const imports = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["b", "d"]],
    ["d", []],
  ]);
  expect(importCycles(imports)).toEqual([["b", "c"]]);
});

function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(/^(?:import|export)\b[^;]*?from "(\.[^"]+)"/gms)].map(([, to = ""]) =>
    normalize(join(dirname(file), to)),
  );
}

/** Returns the import cycles: repeatedly removes files that import no remaining file or are imported by none. */
function importCycles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const remainingFiles = new Map(imports);
  for (let before = -1; before !== remainingFiles.size;) {
    before = remainingFiles.size;
    const imported = new Set([...remainingFiles.values()].flat());
    for (const [file, to] of remainingFiles)
      if (!imported.has(file) || !to.some((other) => remainingFiles.has(other))) remainingFiles.delete(file);
  }
  return remainingFiles.size === 0 ? [] : [[...remainingFiles.keys()].toSorted()];
}
