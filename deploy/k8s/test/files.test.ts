import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generatedFiles } from "../generate/files.ts";

test.each([...generatedFiles()])("%s is what `node deploy/k8s/generate/main.ts` writes", (file, text) => {
  expect(readFileSync(join(import.meta.dirname, "..", file), "utf8")).toBe(text);
});
