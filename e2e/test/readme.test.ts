import { once } from "node:events";
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
    200_000,
  );
});
afterAll(async () => {
  const isRunning = npm?.exitCode === null && npm.signalCode === null;
  const ended = isRunning ? once(npm, "close") : undefined;
  npm?.kill("SIGTERM");
  await ended;
  rmSync(data, { recursive: true, force: true, maxRetries: 10 });
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

test("the README's first call is answered", async () => {
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
});

test("the README's two commands are scripts of the package", () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test", "bench", "gatectl"]));
});

test("every file that the README names exists", () => {
  for (const [, path = ""] of readme.matchAll(/\]\(([\w./-]+)\)/g))
    expect(() => readFileSync(join(root, path)), path).not.toThrow();
});

test("a second start on the same data fails with one clear sentence", async () => {
  const again = await run("npm", ["start"]);
  expect(again.status).not.toBe(0);
  expect(again.stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/^modelgate is already running on .+ stop it, or set MODELGATE_DATA/),
  ]);
});

/** Returns the process id of the program that runs the services. */
function suitePid(): number {
  const { pid }: { pid: number } = JSON.parse(readFileSync(join(data, "run.json"), "utf8"));
  return pid;
}

/** Returns the process id of the gateway, a child of the program that runs the services. */
function gatewayPid(): number {
  const pid = suitePid();
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const gateway = children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("/gateway.js"));
  if (gateway === undefined) throw new Error("the gateway does not run");
  return Number(gateway);
}

test("a killed service of the running suite is restarted, and calls succeed", async () => {
  const first = gatewayPid();
  process.kill(first, "SIGKILL");
  await until("the restart", () =>
    complaints.includes("gateway exited unexpectedly with SIGKILL: started again in 0.5 s\n"),
  );
  await until("a call to succeed", async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer sk-demo-0123456789abcdef", "content-type": "application/json" },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
    }).catch(() => undefined);
    await answer?.text();
    return answer?.status === 200;
  });
  expect(gatewayPid()).not.toBe(first);
  expect(complaints.match(/started again/g)).toHaveLength(1);
});

test("SIGTERM to npm ends everything with exit status 0", async () => {
  const pid = suitePid();
  const ended = new Promise((resolve) => npm.once("close", resolve));
  npm.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(() => process.kill(pid, 0)).toThrow();
  await until("no process to use the data folder", async () => (await run("pgrep", ["-f", data])).status === 1);
});
