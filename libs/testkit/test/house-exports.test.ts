import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

/** Matches imports that are loaded with the module, unlike types and `import()`. */
const loads = /^(?:import|export)\s+(?!type\b)[^;]*?from "([^"]+)"|^import "([^"]+)"/gms;

/** Returns the file of an import; undefined for packages of others. */
function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith(".")) return resolve(importer, "..", specifier);
  const [, name, rest] = /^@modelgate\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
  const folder = ["libs", "services"].map((kind) => join(root, kind, name ?? "")).find((each) => existsSync(each));
  if (name === undefined || folder === undefined) return undefined;
  const manifest: { exports: Record<string, string> } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const target = manifest.exports[`.${rest ?? ""}`];
  if (target === undefined) throw new Error(`${importer} imports ${specifier}, which is not exported`);
  return resolve(folder, target);
}

/** Returns the paths of all modules that a program loads at its start. */
function loadedBy(entry: string): readonly string[] {
  const loaded = new Set([join(root, entry)]);
  for (const file of loaded)
    for (const [, from, bare] of readFileSync(file, "utf8").matchAll(loads)) {
      const next = fileOf(from ?? bare ?? "", file);
      if (next !== undefined && next.endsWith(".ts")) loaded.add(next);
    }
  return Array.from(loaded, (file) => relative(root, file));
}

const textWires = "libs/wires/src/text/wires.ts";

test.each(["media", "audio", "video", "realtime", "edge", "ledger", "control"])(
  "%s does not serve text, and loads none of its wires",
  (service) => {
    expect(loadedBy(`services/${service}/src/service.ts`)).not.toContain(textWires);
  },
);

test("the text service loads them", () => {
  expect(loadedBy("services/text/src/service.ts")).toContain(textWires);
});
