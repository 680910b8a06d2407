import type { Command } from "./command.ts";
import { field } from "../field.ts";
import { cell, money, table, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ACCOUNT", cell("account")],
  ["RECEIPTS", (row) => `${cell("from")(row)} to ${cell("to")(row)}`],
  ["BALANCE", money("balanceNanos")],
  ["BOOKS", (row) => (field(row, "ok") === true ? "hold" : "diverge")],
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

/** The books, computed anew. */
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
];
