import { expect, test } from "vitest";
import { ledgerCommands } from "../src/gatectl/ledger.ts";
import type { Server } from "../src/gatectl/server.ts";
import { runCommand } from "./run-command.ts";

test.each([
  ["2500", ["1000", "1000", "500"]],
  ["1000", ["1000"]],
  [undefined, ["100"]],
])("a list of %s entries of the audit log is read in pages of %j", async (limit, pages) => {
  const limits: unknown[] = [];
  const get: Server["get"] = async (_path, { limit: rows, after = "0" } = {}) => {
    limits.push(rows);
    const [first, count] = [Number(after), Number(rows)];
    return { entries: Array.from({ length: count }, (_, at) => first + at), next: String(first + count) };
  };
  const { data } = await runCommand(ledgerCommands, "audit list", { options: { limit } }, { get });
  expect(data).toEqual(Array.from({ length: Number(limit ?? "100") }, (_, at) => at));
  expect(limits).toEqual(pages);
});
