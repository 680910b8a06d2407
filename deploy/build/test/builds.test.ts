import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildCurrent, currentBuild } from "../builds.ts";

let root = "";
const source = "libs/one/src/deep/one.ts";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "modelgate-builds-"));
  for (const file of [source, "services/two/src/two.ts", "pnpm-lock.yaml"]) write(file, "one");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(join(root, file, ".."), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Bundles as the real bundler does. Returns the folder. */
async function build(text = "bundled"): Promise<string> {
  const built = await buildCurrent(root, async (folder) => {
    mkdirSync(folder);
    writeFileSync(join(folder, "program.js"), text);
  });
  expect(currentBuild(root)).toBe(built);
  return built;
}
const programIn = (folder: string): string => readFileSync(join(folder, "program.js"), "utf8");

test("a bundle is used until a source changes", async () => {
  expect(currentBuild(root)).toBeUndefined();
  const first = await build("first");
  expect(await build("unneeded")).toBe(first);
  expect(programIn(first)).toBe("first");
});

test.each([
  ["a changed source", source, "another"],
  ["a new source", "libs/one/src/more.ts", "more"],
  ["a changed package", "libs/one/package.json", "{}"],
  ["other packages", "pnpm-lock.yaml", "others"],
  ["another installation", "node_modules/.pnpm/lock.yaml", "installed"],
])("%s makes the bundle outdated", async (_, file, text) => {
  await build();
  write(file, text);
  expect(currentBuild(root)).toBeUndefined();
  expect(programIn(await build("next"))).toBe("next");
});

test("tests and the console do not make it outdated", async () => {
  const folder = await build();
  for (const file of ["libs/one/test/one.test.ts", "services/console/src/main.ts"]) write(file, "new");
  expect(currentBuild(root)).toBe(folder);
});

/** Changes the source to each text and bundles it. Returns the folders. */
async function buildEach(...texts: readonly string[]): Promise<string[]> {
  const folders = [];
  for (const text of texts) {
    write(source, text);
    folders.push(await build(text));
  }
  return folders;
}

test("the newest four bundles are kept, and the oldest folder is used again", async () => {
  const [first = "", ...others] = await buildEach("1st", "second", "the third", "the fourth");
  expect(new Set(others).size).toBe(3);
  expect(programIn(first)).toBe("1st");
  // Bundles are ordered by number, not by time.
  for (const folder of others) utimesSync(join(folder, "built-from"), 0, 0);
  expect(await buildEach("another fifth", "yet another sixth")).toEqual([first, others[0]]);
});

test("a bundle that a running process uses is kept, and replaced after its end", async () => {
  const [first = ""] = await buildEach("1st");
  const script = `
    import { markInUse } from ${JSON.stringify(join(import.meta.dirname, "../builds.ts"))};
    markInUse(${JSON.stringify(first)});
    console.log("marked");
    setInterval(() => {}, 60_000);`;
  const using = spawn(process.execPath, ["--input-type=module", "--eval", script]);
  await once(using.stdout, "data");
  const later = await buildEach("second", "the third", "the fourth", "another fifth", "yet another sixth");
  expect(later).not.toContain(first);
  expect(programIn(first)).toBe("1st");
  using.kill("SIGKILL");
  await once(using, "close");
  expect(await buildEach("the last one is 7")).toEqual([first]);
});

test("what a killed process left is deleted", async () => {
  for (const name of ["making", "leaving"]) write(`.build/${name}/program.js`, "half");
  await build();
  expect(readdirSync(join(root, ".build"))).toEqual(["0"]);
});

test("a failed bundle leaves the last one, and the next attempt succeeds", async () => {
  const first = await build("first");
  write(source, "another");
  await expect(buildCurrent(root, () => Promise.reject(new Error("no bundle")))).rejects.toThrow("no bundle");
  expect([currentBuild(root), programIn(first)]).toEqual([undefined, "first"]);
  expect(programIn(await build("second"))).toBe("second");
});

test("of processes that start at the same time, one bundles and the others wait for it", async () => {
  const script = `
    import { appendFileSync, mkdirSync } from "node:fs";
    import { buildCurrent, currentBuild } from ${JSON.stringify(join(import.meta.dirname, "../builds.ts"))};
    await buildCurrent(${JSON.stringify(root)}, async (folder) => {
      mkdirSync(folder);
      await new Promise((resolve) => setTimeout(resolve, 300));
      appendFileSync(${JSON.stringify(join(root, "bundled"))}, "once ");
    });
    console.log(currentBuild(${JSON.stringify(root)}));`;
  const run = promisify(execFile);
  const ended = await Promise.all(
    Array.from({ length: 3 }, () => run(process.execPath, ["--input-type=module", "--eval", script])),
  );
  expect(new Set(ended.map(({ stdout }) => stdout.trim()))).toEqual(new Set([join(root, ".build/0")]));
  expect(readFileSync(join(root, "bundled"), "utf8")).toBe("once ");
});
