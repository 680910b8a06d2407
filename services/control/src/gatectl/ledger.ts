import { readFile } from "node:fs/promises";
import { auditText, formatUsd, parseNanos, type AuditLanguage } from "@modelgate/contracts";
import type { Command } from "./command.ts";
import { field } from "../field.ts";
import { CommandFailed, type Query, type Server } from "./server.ts";
import { fieldCell, dollarsCell, renderTable, timeCell, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ACCOUNT", fieldCell("account")],
  ["RECEIPTS", (row) => `${fieldCell("from")(row)} to ${fieldCell("to")(row)}`],
  ["BALANCE", dollarsCell("balanceNanos")],
  ["BOOKS", (row) => (field(row, "ok") === true ? "hold" : "diverge")],
  ["RESTORED", (row) => restoredOf(field(row, "restored"))],
  ["FIRST DIVERGENCE", (row) => divergenceOf(field(row, "divergence"))],
];

/** Maximum entries of a page of the audit log. */
const maxPageEntries = 1_000;

function divergenceOf(divergence: unknown): string {
  if (divergence === undefined) return "-";
  const number = field(divergence, "receipt");
  const entry = field(divergence, "entry");
  const which =
    number === undefined
      ? ""
      : `receipt ${fieldCell("receipt")(divergence)}${entry === undefined ? "" : ` (${fieldCell("entry")(divergence)})`} `;
  return which + fieldCell("message")(divergence);
}

const auditColumns: readonly Column[] = [
  ["TIME", timeCell("time")],
  ["ACTOR", fieldCell("actor")],
  ["ACCOUNT", (row) => fieldCell("account")(row) || "-"],
  ["CHANGE", changeCell],
];

const english: AuditLanguage = {
  text: (phrase, values) => phrase.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ""),
  word: (word) => word.replaceAll(/_|(?<=[a-z])(?=[A-Z\d])/g, " ").toLowerCase(),
  money: (nanos) => formatUsd(parseNanos(nanos)).replace(/^-?/, (sign) => `${sign}$`),
};

function changeCell(row: unknown): string {
  const [before, after] = [field(row, "before"), field(row, "after")];
  return auditText({ action: fieldCell("action")(row), before, after }, english);
}

/** Describes the restorations of an account after a loss of Redis. */
function restoredOf(restored: unknown): string {
  if (!Array.isArray(restored) || restored.length === 0) return "-";
  const calls = restored.reduce((sum: number, row: unknown) => sum + Number(field(row, "calls")), 0);
  const nanos = restored.reduce((sum: bigint, row: unknown) => sum + BigInt(String(field(row, "nanos"))), 0n);
  return `${calls} of $${formatUsd(nanos)}, last at ${fieldCell("time")(restored[0])}`;
}

const anchorColumns: readonly Column[] = [
  ["ACCOUNT", (row) => (field(row, "account") === "" ? "(audit)" : fieldCell("account")(row))],
  ["NUMBER", fieldCell("number")],
  ["BALANCE", dollarsCell("balanceNanos")],
  ["SIGNED AT", fieldCell("time")],
  ["HASH", fieldCell("head")],
];

function commonLine(common: unknown): string {
  const divergence = field(common, "divergence");
  return divergence === undefined
    ? `Audit (${fieldCell("entries")(common)} entries), prices and accounts are consistent.`
    : `DIVERGES: ${fieldCell("message")(divergence)}`;
}

function listIn(page: unknown, name: string): readonly unknown[] {
  const list = field(page, name);
  return Array.isArray(list) ? list : [];
}

function jsonOf(value: object | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** Reads the pages of a list. Each page begins after `next` of the page before. */
async function* pagesOf(
  server: Server,
  path: string,
  queryAfter: (after: string | undefined) => Query,
): AsyncGenerator<unknown, void, undefined> {
  for (let after: string | undefined; ;) {
    const page = await server.get(path, queryAfter(after));
    yield page;
    const next = field(page, "next");
    if (typeof next !== "string") return;
    after = next;
  }
}

/** Reads the newest entries of the audit log. */
async function auditEntries(server: Server, account: string | undefined, limit: number): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  const queryAfter = (after: string | undefined): Query => {
    return { account, limit: String(Math.min(limit - entries.length, maxPageEntries)), after };
  };
  for await (const page of pagesOf(server, "/audit", queryAfter)) {
    entries.push(...listIn(page, "entries"));
    if (entries.length >= limit) break;
  }
  return entries;
}

async function anchorsIn(file: string): Promise<ReadonlyMap<string, object>> {
  const list: unknown = await readFile(file, "utf8")
    .then((text): unknown => JSON.parse(text))
    .catch(() => undefined);
  if (!Array.isArray(list)) throw new CommandFailed(`${file} is not a file of \`gatectl ledger anchors --json\`.`);
  return new Map(list.map((anchor: object) => [String(field(anchor, "account")), anchor]));
}

/** Verifies accounts with the anchors of a file. The results replace or extend `rows`. */
async function verifyAnchors(
  server: Server,
  storedAnchors: ReadonlyMap<string, object>,
  rows: unknown[],
): Promise<void> {
  for (const [account, anchor] of storedAnchors) {
    if (account === "") continue;
    const [row] = await server.get("/ledger/verification", { account, anchor: jsonOf(anchor) }).then(
      (page) => listIn(page, "accounts"),
      (error: unknown) => {
        if (!(error instanceof CommandFailed)) throw error;
        return [{ account, ok: false, divergence: { message: error.message } }];
      },
    );
    const at = rows.findIndex((each) => field(each, "account") === account);
    rows.splice(at < 0 ? rows.length : at, 1, row);
  }
}

/** Commands that verify the books and show the audit log. */
export const ledgerCommands: readonly Command[] = [
  {
    name: "ledger verify",
    summary: "Recompute balances from credits and settled calls, and name the first divergence.",
    positionals: ["[ACCOUNT]"],
    options: { anchors: "file that `gatectl ledger anchors --json` has written; its anchors are verified too" },
    example: "gatectl ledger verify acme",
    async run({ positionals: [account], options: { anchors } }, server) {
      const storedAnchors = anchors === undefined ? new Map<string, object>() : await anchorsIn(anchors);
      // Only the first page verifies the audit log, so only it gets the anchor.
      const first = { account, anchor: jsonOf(storedAnchors.get(account ?? "")) };
      const accounts: unknown[] = [];
      let common: unknown = null;
      for await (const page of pagesOf(server, "/ledger/verification", (after) =>
        after === undefined ? first : { after },
      )) {
        accounts.push(...listIn(page, "accounts"));
        common ??= field(page, "common") ?? null;
      }
      if (account === undefined) await verifyAnchors(server, storedAnchors, accounts);
      const ok = [...accounts, ...(common === null ? [] : [common])].every((row) => field(row, "ok") === true);
      const lines = [
        renderTable(accounts, columns, "no accounts"),
        ...(common === null ? [] : ["", commonLine(common)]),
      ];
      return { data: { ok, accounts, common }, text: lines.join("\n"), exitCode: ok ? 0 : 1 };
    },
  },
  {
    name: "ledger anchors",
    summary:
      "Show the signatures of the newest receipts and of the audit log. With a copy, a verification finds later changes.",
    positionals: [],
    options: {},
    example: "gatectl ledger anchors --json > anchors.json",
    async run(_, server) {
      const data: unknown[] = [];
      for await (const page of pagesOf(server, "/ledger/anchors", (after) => ({ after })))
        data.push(...listIn(page, "anchors"));
      return { data, text: renderTable(data, anchorColumns, "no anchors: run `gatectl ledger verify` first") };
    },
  },
  {
    name: "audit list",
    summary: "Show who changed accounts, tokens and balances, newest first.",
    positionals: ["[ACCOUNT]"],
    options: { limit: "number of entries (default: 100)" },
    example: "gatectl audit list acme --limit 20",
    async run({ positionals: [account], options }, server) {
      const entries = await auditEntries(server, account, Number(options["limit"] ?? 100));
      return { data: entries, text: renderTable(entries, auditColumns, "no changes") };
    },
  },
];
