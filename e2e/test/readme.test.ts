import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts, until } from "@modelgate/testkit";

const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
const data = mkdtempSync(join(tmpdir(), "modelgate-readme-"));
let npm: ChildProcess;
let port = 0;
let printed = "";
let complaints = "";

beforeAll(async () => {
  [port = 0] = await freePorts(1);
  npm = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, PORT: String(port), MODELGATE_DATA: data, REDIS_URL: "", NATS_URL: "" },
  });
  npm.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  npm.stderr?.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  await until(
    "npm start to be ready",
    () => printed.includes("Ctrl-C ends everything") || (npm.exitCode !== null && fail()),
    60_000,
  );
});
afterAll(() => {
  npm?.kill("SIGTERM");
  rmSync(data, { recursive: true, force: true });
});

function fail(): never {
  throw new Error(`npm start ended with ${npm.exitCode ?? "?"}: ${complaints}`);
}

const run = (command: string, args: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd: root, env: { ...process.env, MODELGATE_DATA: data } }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
const here = (text: string): string => text.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`);

test("npm start prints the address, a key, a working curl command, and the next steps", async () => {
  expect(printed).toContain(`http://127.0.0.1:${port}`);
  expect(printed).toContain("sk-demo-0123456789abcdef");
  expect(printed).toContain("README.md");
  const curl = printed.split("\n").find((line) => line.trim().startsWith("curl ")) ?? "";
  const answer = await run("sh", ["-c", curl]);
  expect(JSON.parse(answer.stdout)).toMatchObject({ choices: [{ message: { content: "You said: Hello" } }] });
});

test("the README's first call", async () => {
  const curl = blocks.find(({ language, text }) => language === "sh" && text.startsWith("curl "))?.text ?? "";
  const answer = await run("sh", ["-c", here(curl)]);
  expect(JSON.parse(answer.stdout)).toMatchObject({ object: "chat.completion", model: "demo-chat" });
});

describe("the README's SDK calls", () => {
  test.each(blocks.filter(({ language }) => language === "js"))("$text", async ({ text }) => {
    // Inside e2e, so that the sample can import the SDKs.
    const file = join(root, "e2e", `readme-sample-${process.pid}.mjs`);
    writeFileSync(file, here(text));
    try {
      const { status, stdout, stderr } = await run(process.execPath, [file]);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(stdout).toMatch(/You said: Hello|demo-chat/);
    } finally {
      rmSync(file);
    }
  });
});

test("gatectl through npm prints only one JSON document on stdout", async () => {
  const { status, stdout } = await run("npm", ["run", "gatectl", "--", "account", "show", "demo", "--json"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    id: "demo",
    balanceNanos: expect.stringMatching(/^\d+$/),
    heldNanos: expect.stringMatching(/^\d+$/),
  });
  expect((await run("npm", ["run", "gatectl", "--", "usage", "--by", "token,model,day"])).stdout).toContain("TOKEN");
});

test("the README's two commands are scripts of the package", () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test", "bench", "gatectl"]));
});

test("every file that the README names exists", () => {
  for (const [, path = ""] of readme.matchAll(/\]\(([\w./-]+)\)/g))
    expect(() => readFileSync(join(root, path)), path).not.toThrow();
});

test("a second start on the same data, and one on a busy port, each fail with one clear sentence", async () => {
  const again = await run("npm", ["start"]);
  expect(again.status).not.toBe(0);
  expect(again.stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/^modelgate is already running on .+ stop it, or set MODELGATE_DATA/),
  ]);
  const busy = await new Promise<{ status: number | null; words: string }>((resolve) => {
    const folder = mkdtempSync(join(tmpdir(), "modelgate-busy-"));
    const child = spawn("npm", ["start"], {
      cwd: root,
      env: { ...process.env, PORT: String(port), MODELGATE_DATA: folder },
    });
    let words = "";
    child.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
    child.on("close", (status) => resolve({ status, words }));
  });
  expect(busy.status).not.toBe(0);
  expect(busy.words.trim()).toBe(
    `Port ${port} is in use: stop the program that listens on it, or set PORT to another one.`,
  );
});

test("a service that dies ends the start, and its output reaches the terminal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-dies-"));
  const [free = 0] = await freePorts(1);
  const child = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, PORT: String(free), MODELGATE_DATA: folder, BOOKS_KEEP_DAYS: "soon" },
  });
  let words = "";
  child.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
  expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
  expect(words).toMatch(/^gateway: .*BOOKS_KEEP_DAYS/m);
  rmSync(folder, { recursive: true });
});

test("a wrong configuration ends the start with the path of each wrong field", async () => {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-wrong-"));
  const config = join(folder, "wrong.yaml");
  writeFileSync(
    config,
    "groups: { default: { models: ['*'], colour: red } }\nmodels: { m: { kind: chatty } }\nchannels: []\n",
  );
  const [free = 0] = await freePorts(1);
  const child = spawn("npm", ["start"], {
    cwd: root,
    env: { ...process.env, PORT: String(free), MODELGATE_DATA: folder, MODELGATE_CONFIG: config },
  });
  let words = "";
  child.stderr.on("data", (chunk: Buffer) => (words += chunk.toString()));
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect(status).not.toBe(0);
  expect(words).toContain("groups.default.colour is not a known field");
  expect(words).toContain("models.m.kind must be one of chat");
  expect(words.match(/is not a known field/g)).toHaveLength(1);
  expect(words).not.toMatch(/^\s+at /m);
  rmSync(folder, { recursive: true });
});

test("SIGTERM to npm ends everything with exit status 0", async () => {
  const children = readFileSync(join(data, "run.json"), "utf8");
  const { pid }: { pid: number } = JSON.parse(children);
  const ended = new Promise((resolve) => npm.once("close", resolve));
  npm.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(() => process.kill(pid, 0)).toThrow();
  await until("no process to use the data folder", async () => (await run("pgrep", ["-f", data])).status === 1);
});
