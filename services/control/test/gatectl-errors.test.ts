import { PassThrough, Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, type ScriptedServer } from "@modelgate/testkit";
import { commands, runGatectl } from "../src/gatectl/run.ts";

let control: ScriptedServer;
beforeAll(async () => {
  const error = { message: "There is no such thing.", code: "unknown_url", param: "id" };
  control = await startScriptedServer(() => ({ status: 404, body: { error } }));
});
afterAll(() => control?.[Symbol.asyncDispose]());

/** Runs a command line as a script does. */
async function run(words: readonly string[], url: string) {
  const output = { stdout: "", stderr: "" };
  const to = (name: "stdout" | "stderr") =>
    new Writable({ write: (chunk: Buffer, _, done) => ((output[name] += chunk.toString()), done()) });
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  stdin.end("a password of some length\n");
  const env = { CONTROL_URL: url, MODELGATE_SECRET: "a secret of some length" };
  const status = await runGatectl(words, { stdin, stdout: to("stdout"), stderr: to("stderr"), env });
  return { status, ...output };
}

/** Arguments without which some commands do not call the server. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "account top-up": ["acme", "1"],
  "token set": ["tok", "--requests-per-day", "5"],
  "budget set": ["acme", "bud", "--amount", "1"],
  "usage export": ["--out", "/no/such/file"],
  "usage chargeback": ["--out", "/no/such/file"],
};

/** Returns a complete command line, whose files do not exist. */
function wordsOf({ name, positionals, options }: (typeof commands)[number]): readonly string[] {
  const required = Object.keys(options).filter((option) => option.endsWith("!"));
  const values = required.flatMap((option) => [`--${option.replace("!", "")}`, "1"]);
  const args = needed[name] ?? positionals.map(() => "/no/such/file");
  return [...name.split(" "), ...args, ...values, "--json"];
}

describe.each(commands.map((command) => [command.name, command] as const))("gatectl %s --json", (_, command) => {
  test.each([
    ["a refusal of the server", () => control.url],
    ["a server that does not answer", () => "http://127.0.0.1:1"],
  ])("%s is JSON", async (_what, url) => {
    const { status, stdout, stderr } = await run(wordsOf(command), url());
    const failed: unknown = JSON.parse(stderr || stdout);
    expect(status).toBe(1);
    if (stderr !== "") expect(failed).toEqual({ error: expect.objectContaining({ message: expect.any(String) }) });
    else expect(failed).toMatchObject({ ok: false });
  });

  test("a wrong command line is JSON", async () => {
    const { status, stdout, stderr } = await run([...wordsOf(command), "--no-such-option"], control.url);
    expect([status, stdout]).toEqual([2, ""]);
    expect(JSON.parse(stderr)).toEqual({ error: { message: expect.stringContaining("--no-such-option") } });
  });
});

test("a failed connection is reported with its reason", async () => {
  const url = control.url.replace("http:", "https:");
  expect((await run(["account", "list"], url)).stderr).toMatch(
    /^gatectl: No server answers at https:\S+: .*SSL.*\. Is/,
  );
});
