import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sourcePaths } from "../source-paths.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-paths-"));
  mkdirSync(join(folder, "deep"));
  for (const name of ["one-worker.ts", "two.ts", "deep/one-worker.ts"]) writeFileSync(join(folder, name), "export {};");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Bundles a source. Returns the text of its program and the names of all files. */
async function bundled(source: string): Promise<{ text: string; files: readonly string[] }> {
  const input = join(folder, "main.ts");
  writeFileSync(input, source);
  const dir = join(folder, "built");
  await using build = await rolldown({ cwd: folder, input, platform: "node", plugins: [sourcePaths(dir)] });
  await build.write({ dir, format: "esm" });
  return { text: readFileSync(join(dir, "main.js"), "utf8"), files: readdirSync(dir) };
}

test("a thread next to the source starts from the bundle; other files are found at the source", async () => {
  const { text, files } = await bundled(
    `console.log(new URL("./one-worker.ts", import.meta.url), new URL("a.lua", import.meta.url), import.meta.dirname);`,
  );
  expect(files).toContain("one-worker.js");
  expect(text).toContain(`new URL("one-worker.js", import.meta.url)`);
  expect(text).toContain(`new URL("a.lua", new URL("../main.ts", import.meta.url).href)`);
  expect(text).toContain(`decodeURIComponent(new URL("..", import.meta.url).pathname)`);
});

test.each([
  `new URL("./deep/one-worker.ts", import.meta.url)`,
  `new URL('one-worker.ts', import.meta.url)`,
  `new URL("two.ts", import.meta.url)`,
  `new URL(\n  "two.ts",\n  import.meta.url,\n)`,
  `new Worker("./two.ts")`,
  `import.meta.resolve("./two.ts")`,
  `import.meta.main`,
])("%s is refused, because images have no TypeScript", async (code) => {
  await expect(bundled(`console.log(${code});`)).rejects.toThrow("cannot be bundled");
});
