import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Attack } from "../attack/attack.ts";
import { runAttack } from "../attack/carry-out.ts";
import { openAttackSetup, type AttackSetup } from "../attack/setup.ts";
import { attacks } from "../attack/kinds/index.ts";
import { asTable, withTable, type Row } from "../attack/table.ts";

/** Short attack that fails. The test adds one that succeeds. */
const quickAttacks = attacks.filter(({ id }) => id === "identity");
const breach: Attack = {
  id: "breach",
  name: "violates every invariant",
  area: "text",
  models: [
    {
      name: "chat",
      kind: "chat",
      price: { request: 1 },
      provider: "openai",
      path: "v1",
      answers: ({ headers }, response) => void response.writeHead(200).end(String(headers.authorization)),
    },
  ],
  async run({ suite, searchSecrets, requests, send, model }) {
    await send({
      path: "/v1/chat/completions",
      body: { model: model("chat"), messages: [{ role: "user", content: "Hi" }] },
    });
    searchSecrets(String(requests("chat")[0]?.headers.authorization));
    suite.process("media").signal("SIGKILL");
    await suite.process("media").ended;
    return { tried: "1 call", figure: "1 | 2", failedChecks: ["it says so"] };
  },
};

let setup: AttackSetup;
beforeAll(async () => {
  // A service whose event loop is measured needs a new process.
  setup = await openAttackSetup([...quickAttacks, breach], ["edge"]);
});
afterAll(() => setup?.[Symbol.asyncDispose]());

test.each(quickAttacks.map((attack) => [attack.name, attack] as const))(
  "resists an attacker who %s",
  async (_, attack) => {
    const row = await runAttack(attack, setup);
    expect(row).toMatchObject({ name: attack.name, failedChecks: [] });
    expect(row.tried).toMatch(/^\d+ requests/);
    const [served, requests] = row.others.split(" of ").map(Number);
    expect(served).toBe(requests);
    expect(requests).toBeGreaterThan(0);
  },
);

test("reports a leaked secret, a process that died, and the findings of the attack", async () => {
  const { failedChecks } = await runAttack(breach, setup);
  expect(failedChecks).toEqual(
    expect.arrayContaining(["it says so", "media died", "it leaks a vendor's key in an answer"]),
  );
  expect(setup.suite.process("media").running).toBe(true);
});

const row: Row = {
  name: "a | b",
  tried: "1 call",
  figure: "$1",
  others: "2 of 2",
  loop: "1 ms (edge)",
  failedChecks: [],
};

test("the table has a row for each attack, and names its failures", () => {
  const table = asTable([row, { ...row, failedChecks: ["this", "that"] }]);
  const [, , passed, failed] = table.split("\n");
  expect(passed).toBe("| a \\| b | 1 call | yes | $1 | 2 of 2 | 1 ms (edge) |");
  expect(failed).toContain("| **no**: this; that |");
});

test("ATTACK.md keeps its text when its table is updated", () => {
  const document = readFileSync(join(import.meta.dirname, "../ATTACK.md"), "utf8");
  const written = withTable(document, "2026-11-22", [row]);
  expect(written).toContain("2026-11-22: 1 of 1 attacks withstood.");
  expect(written.split("\n")[0]).toBe(document.split("\n")[0]);
  expect(withTable(written, "2026-11-22", [row])).toBe(written);
  expect(() => withTable("no place", "2026-11-22", [row])).toThrow("no place for the table");
});
