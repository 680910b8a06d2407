import { formatUsd } from "@modelgate/contracts";
import type { Command } from "./command.ts";
import { field } from "../field.ts";
import { cell, money, table, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ACCOUNT", cell("account")],
  ["RECEIPTS", (row) => `${cell("from")(row)} to ${cell("to")(row)}`],
  ["BALANCE", money("balanceNanos")],
  ["BOOKS", (row) => (field(row, "ok") === true ? "hold" : "diverge")],
  ["PUT BACK", (row) => restoredOf(field(row, "restored"))],
  ["FIRST DIVERGENCE", (row) => divergenceOf(field(row, "divergence"))],
];

function divergenceOf(found: unknown): string {
  if (found === undefined) return "-";
  const number = field(found, "receipt");
  const entry = field(found, "entry");
  const which =
    number === undefined
      ? ""
      : `receipt ${cell("receipt")(found)}${entry === undefined ? "" : ` (${cell("entry")(found)})`} `;
  return which + cell("say")(found);
}

const auditColumns: readonly Column[] = [
  ["TIME", cell("time")],
  ["ACTOR", cell("actor")],
  ["ACCOUNT", cell("account")],
  ["ACTION", cell("action")],
  ["BEFORE", (row) => changed(field(row, "before"))],
  ["AFTER", (row) => changed(field(row, "after"))],
];

function changed(value: unknown): string {
  return value === null || value === undefined ? "-" : JSON.stringify(value);
}

/** What was put back of an account that its Redis had lost. */
function restoredOf(found: unknown): string {
  if (!Array.isArray(found) || found.length === 0) return "-";
  const calls = found.reduce((sum: number, row: unknown) => sum + Number(field(row, "calls")), 0);
  const nanos = found.reduce((sum: bigint, row: unknown) => sum + BigInt(String(field(row, "nanos"))), 0n);
  return `${calls} of $${formatUsd(nanos)}, last at ${cell("time")(found[0])}`;
}

/** The books, computed anew; and who changed what in them. */
export const ledgerCommands: readonly Command[] = [
  {
    name: "ledger verify",
    summary: "Compute balances anew from credits and settled calls; name the first divergence.",
    positionals: ["[ACCOUNT]"],
    options: {},
    example: "gatectl ledger verify acme",
    async run({ positionals: [account] }, server) {
      const accounts: unknown[] = [];
      for (let after: string | undefined; ;) {
        const page = await server.get("/ledger/verification", { account, after });
        const found = field(page, "accounts");
        const listed: readonly unknown[] = Array.isArray(found) ? found : [];
        accounts.push(...listed);
        const next = field(page, "next");
        if (typeof next !== "string") break;
        after = next;
      }
      const ok = accounts.every((row) => field(row, "ok") === true);
      return { data: { ok, accounts }, text: table(accounts, columns, "no accounts"), exitCode: ok ? 0 : 1 };
    },
  },
  {
    name: "audit list",
    summary: "Show who changed accounts, tokens and balances, newest first.",
    positionals: ["[ACCOUNT]"],
    options: { limit: "how many, 100 where absent" },
    example: "gatectl audit list acme --limit 20",
    async run({ positionals: [account], options }, server) {
      const entries = field(await server.get("/audit", { account, limit: options["limit"] }), "entries");
      return { data: entries, text: table(entries, auditColumns, "no changes") };
    },
  },
];
