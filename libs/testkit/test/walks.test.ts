import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const [, walks = ""] = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("\n## Walks\n");
const section = walks.split("\n## ")[0] ?? "";
const steps = section
  .split(/\n(?=\d+\. |\n)/)
  .map((text) => ({
    step: text.trim().slice(0, 60),
    files: [...text.matchAll(/`((?:libs|services)\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file),
    names: [...text.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  }))
  .filter(({ files }) => files.length > 0);

test("ARCHITECTURE.md walks through a passed and a converted request", () => {
  expect(steps.flatMap(({ files }) => files).length).toBeGreaterThan(20);
});

test.each(steps)("its files and functions exist: $step", ({ files, names }) => {
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  const sources = files.map((file) => readFileSync(join(root, file), "utf8"));
  const declares = (name: string): boolean =>
    sources.some((source) =>
      new RegExp(`(?:function|class|const|async|^ +)\\s*\\*?${name}\\b\\s*[(:=<{ei]`, "m").test(source),
    );
  expect(names.filter((name) => !declares(name))).toEqual([]);
});
