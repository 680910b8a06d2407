import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generate } from "../generate/main.ts";

const folder = join(import.meta.dirname, "../generated");
const files = () => globSync("**/*.md", { cwd: folder });

test("while pages are generated again, each page exists at every moment for a concurrent build", async () => {
  await generate();
  const before = files();
  expect(before).toContain("reference/api.md");
  const snapshots: (readonly string[])[] = [];
  const again = generate();
  const watch = setInterval(() => snapshots.push(files()), 1);
  await again;
  clearInterval(watch);
  for (const found of [...snapshots, files()]) expect(before.filter((file) => !found.includes(file))).toEqual([]);
});
