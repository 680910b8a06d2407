import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { startScriptedServer } from "@modelgate/testkit";
import { confirm } from "../src/gatectl/command.ts";
import { runGatectl } from "../src/gatectl/run.ts";

/** Returns a terminal on which a person types an answer. */
function terminalOf(answer: string, isTTY = true) {
  let shown = "";
  const stderr = new Writable({ write: (chunk: Buffer, _, done) => ((shown += chunk.toString()), done()) });
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.write(`${answer}\n`);
  return { stdin, stderr, shown: () => shown };
}

test.each([
  ["y", true],
  ["Yes", true],
  ["n", false],
  ["", false],
  ["yesterday", false],
])("a user at the terminal who answers %j", async (answer, confirmed) => {
  const terminal = terminalOf(answer);
  expect(await confirm(terminal, "Restore version 3?")).toBe(confirmed);
  expect(terminal.shown()).toContain("Restore version 3? [y/N]");
});

test("a script is not asked", async () => {
  const terminal = terminalOf("n", false);
  expect(await confirm(terminal, "Restore version 3?")).toBe(true);
  expect(terminal.shown()).toBe("");
});

test("a rollback shows the changes, and changes nothing if the answer is no", async () => {
  const back = [
    { kind: "removed", text: "gpt-x:" },
    { kind: "added", text: "gpt-y:" },
  ];
  await using control = await startScriptedServer(({ method }) => ({
    body: { data: method === "GET" ? { version: 3, back } : { version: 5, problems: [], warnings: [] } },
  }));
  const env = { CONTROL_URL: control.url, MODELGATE_SECRET: "a secret of some length" };
  for (const answer of ["n", "y"]) {
    const terminal = terminalOf(answer);
    await runGatectl(["config", "rollback", "3"], { ...terminal, stdout: terminal.stderr, env });
    expect(terminal.shown()).toContain("- gpt-x:\n+ gpt-y:");
  }
  expect(control.requests.map(({ method }) => method)).toEqual(["GET", "GET", "POST"]);
});
