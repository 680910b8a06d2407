import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { providers } from "@modelgate/providers";
import { generate } from "../generate/main.ts";
import { codingPrograms } from "../coding-programs.ts";
import { blocksIn, blocksOf, type Block } from "./blocks.ts";
import { python, PythonForks } from "@modelgate/testkit";
import { gatectlCalls } from "./gatectl-block.ts";
import { openSampleFolder, samples, samplesFor, type SampleFolder } from "./playground.ts";
import { runBlock } from "./run-block.ts";
import { root, startDemo, type Demo, type Ended } from "./start.ts";

const docs = join(import.meta.dirname, "..");
await generate();
const blocks = blocksOf(docs);
const chosen = blocks.filter(({ notRun }) => notRun === undefined);

let demo: Demo;
let sampleFolder: SampleFolder;
const forks = python === undefined ? undefined : new PythonForks(python);
beforeAll(async () => {
  demo = await startDemo();
  sampleFolder = await openSampleFolder(demo);
}, 150_000);
afterAll(async () => {
  await forks?.[Symbol.asyncDispose]();
  await sampleFolder?.[Symbol.asyncDispose]();
  await demo?.[Symbol.asyncDispose]();
});

const tools = {
  path: docs,
  async runPython(code: string): Promise<Ended> {
    if (forks === undefined) throw new Error("there is no Python");
    return await forks.run(code, { folder: root, env: demo.env });
  },
};

describe("code blocks", () => {
  test.concurrent.each(chosen.filter(({ language }) => language !== "python" || python !== undefined))(
    "$place runs ($language)",
    { timeout: 300_000 },
    async (block) => {
      const { prints } = block;
      const { status, output } = await runBlock(demo, block, tools);
      expect({ status, output }).toMatchObject({ status: 0 });
      if (prints !== undefined) expect(output.toLowerCase()).toContain(prints.toLowerCase());
    },
  );

  test.skipIf(python !== undefined)("of Python are skipped without a Python that has docs/requirements.txt", () => {
    expect(python).toBeUndefined();
  });

  test("that are not run give a reason, and are few among the site's hand-written ones", () => {
    const skippedBlocks = blocks.filter(({ notRun }) => notRun !== undefined);
    const isHandWritten = (block: Block): boolean => !block.place.startsWith("generated/");
    const isRunByAnotherTest = ({ notRun = "" }: Block): boolean => {
      const file = /^(\S+\.test\.ts) runs it/.exec(notRun)?.[1];
      return file !== undefined && existsSync(join(root, file));
    };
    process.stdout.write(`${chosen.length} code blocks are run; ${skippedBlocks.length} are not:\n`);
    for (const { place, notRun } of skippedBlocks) process.stdout.write(`  ${place}: ${notRun ?? ""}\n`);
    expect(skippedBlocks.filter(({ notRun = "" }) => notRun.length < 15)).toEqual([]);
    const untested = skippedBlocks.filter((block) => isHandWritten(block) && !isRunByAnotherTest(block));
    expect(untested.length).toBeLessThan(chosen.filter(isHandWritten).length / 2);
  });
});

describe("the playground's code", () => {
  test.concurrent.each(samples.filter(({ runner }) => runner !== "python" || python !== undefined))(
    "of $kind runs: $client",
    { timeout: 300_000 },
    async (sample) => {
      const { status, output, files } = await sampleFolder.run(sample, forks);
      expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining(sample.prints) });
      if (sample.writes !== undefined) expect(files).toContain(sample.writes);
    },
  );

  test("of a session at an address without TLS names the clients that accept it", () => {
    const gateway = { address: "http://gateway.example", key: "sk-key", model: "talk" };
    expect(samplesFor("realtime", gateway, "")["openai (JS)"]).toContain('use the sample "WebSocket"');
    const behindTls = samplesFor("realtime", { ...gateway, address: "https://gateway.example" }, "");
    expect(behindTls["openai (JS)"]).not.toContain("only over TLS");
  });
});

test("a block's attributes are read", () => {
  const page = "a\n\n<!-- not run: it needs the moon -->\n```sh\nls\n```\n\n```js\n1;\n```\n<!-- prints: one -->\n";
  expect(blocksIn("page.md", page)).toEqual([
    { place: "page.md:3", language: "sh", text: "ls\n", notRun: "it needs the moon", prints: undefined },
    { place: "page.md:8", language: "js", text: "1;\n", notRun: undefined, prints: "one" },
  ]);
});

test.each([
  { text: "npm run gatectl -- usage list\n", calls: [["usage", "list"]] },
  {
    text: "npm run gatectl -- org create acme --name \"Acme Inc.\"\nnpm run gatectl -- account create 'labs~ads'\n",
    calls: [
      ["org", "create", "acme", "--name", "Acme Inc."],
      ["account", "create", "labs~ads"],
    ],
  },
  { text: "npm run gatectl -- ledger anchors > file\n" },
  { text: 'npm run gatectl -- ledger verify --anchors "${TMPDIR}/file"\n' },
  { text: "npm run gatectl -- usage list | head\n" },
  { text: "npm run gatectl -- account create labs~ads *\n" },
  {
    text: "npm run gatectl -- config check deploy/config/demo.yaml\n",
    calls: [["config", "check", join(root, "deploy/config/demo.yaml")]],
  },
  { text: "npm start\nnpm run gatectl -- usage list\n" },
])("gatectl runs in this process only without a shell: $text", ({ text, calls }) => {
  expect(gatectlCalls(text)).toEqual(calls);
});

test.each(Object.entries(codingPrograms))("%s, which can be run, has a page with its settings", (page, program) => {
  const { env, files } = program;
  const text = readFileSync(join(docs, `clients/${page}.md`), "utf8");
  for (const name of Object.keys(env("http://gateway", "sk-key"))) expect(text).toContain(name);
  for (const path of Object.keys(files?.("http://gateway", "sk-key") ?? {})) expect(text).toContain(path);
});

test("every vendor has a page, or a row on the page of all vendors", () => {
  const table = readFileSync(join(docs, "generated/fragments/all-vendors.md"), "utf8");
  for (const name of Object.keys(providers)) {
    const isThere = existsSync(join(docs, `vendors/${name}.md`)) || table.includes(`\`${name}\``);
    expect(isThere, name).toBe(true);
  }
});
