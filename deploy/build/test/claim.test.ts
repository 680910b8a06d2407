import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claim } from "../claim.mjs";
import { bareCheckout } from "../../local/test/bare-checkout.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-claim-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a claim is a file while it is held", () => {
  const { release } = claim(folder, "lock");
  expect(readdirSync(folder)).toEqual([expect.stringMatching(new RegExp(`^lock\\.${process.pid}-\\d+$`))]);
  release?.();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  { what: "of a process that has exited", file: "lock.4194304-1" },
  { what: "of an exited process whose id is in use again", file: `lock.${process.ppid}-1` },
])("a claim $what is ignored and removed", ({ file }) => {
  writeFileSync(join(folder, file), "");
  expect(claim(folder, "lock").heldBy).toBeUndefined();
  expect(readdirSync(folder)).toEqual([expect.stringMatching(new RegExp(`^lock\\.${process.pid}-`))]);
});

test("files of other programs are kept", () => {
  const others = ["debian", "lock", "other.4194304-1", "lock.more.4194304-1"];
  for (const file of others) writeFileSync(join(folder, file), "");
  claim(folder, "lock").release?.();
  expect(readdirSync(folder).toSorted()).toEqual(others.toSorted());
});

test("of many concurrent claims behind a stale lock, only one continues at a time", async () => {
  using checkout = bareCheckout();
  const count = 8;
  writeFileSync(
    checkout.path("deploy/local/once.mjs"),
    `import { appendFileSync } from "node:fs";
     import { setTimeout } from "node:timers/promises";
     import { locked } from "./bootstrap/lock.mjs";
     await locked(async () => {
       appendFileSync("log", "in\\n");
       await setTimeout(20);
       appendFileSync("log", "out\\n");
     });`,
  );
  mkdirSync(checkout.path(".tools"));
  writeFileSync(checkout.path(".tools/lock.4194304-1"), "");
  const statuses = await Promise.all(
    Array.from({ length: count }, () => once(checkout.start("deploy/local/once.mjs"), "close")),
  );
  expect(statuses.map(([status]) => status)).toEqual(Array.from({ length: count }, () => 0));
  expect(readFileSync(checkout.path("log"), "utf8")).toBe("in\nout\n".repeat(count));
  expect(checkout.tools()).toEqual([]);
});
