import { randomUUID } from "node:crypto";
import { field } from "../field.ts";
import {
  requiredPositional,
  positionalInPath,
  UsageError,
  type Arguments,
  type Command,
  type Output,
} from "./command.ts";
import { CommandFailed, mayHaveSucceeded, type Server } from "./server.ts";
import { fieldCell, dollarsCell, renderTable, timeCell, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ACCOUNT", fieldCell("id")],
  ["BALANCE", dollarsCell("balanceNanos")],
  ["HELD", dollarsCell("heldNanos")],
  ["CREDITED", dollarsCell("creditedNanos")],
  ["SPENT", dollarsCell("spentNanos")],
  ["STATE", (row) => (field(row, "disabled") === true ? "disabled" : "enabled")],
];

const noAccounts = "no accounts";

const creditColumns: readonly Column[] = [
  ["TIME", timeCell("time")],
  ["KIND", fieldCell("kind")],
  ["AMOUNT", dollarsCell("nanos")],
  ["REASON", fieldCell("reason")],
  ["OPERATION", fieldCell("operationId")],
];

/** Commands for accounts and their money. */
export const accountCommands: readonly Command[] = [
  {
    name: "account create",
    summary: "Create an account.",
    positionals: ["ID"],
    options: { balance: "opening balance in US dollars (default: 0)", name: "display name" },
    example: "gatectl account create acme --balance 25.00",
    async run(args, server) {
      const id = requiredPositional(args, 0, "ID");
      const data = await server.post("/accounts", { id, balance: args.options["balance"], name: args.options["name"] });
      return { data, text: renderTable(data, columns, noAccounts) };
    },
  },
  {
    name: "account show",
    summary: "Show an account's balance and credits.",
    positionals: ["ID"],
    options: {},
    example: "gatectl account show demo --json",
    async run(args, server) {
      const data = await server.get(`/accounts/${positionalInPath(args, 0, "ID")}`);
      const credits = renderTable(field(data, "credits"), creditColumns, "no credits");
      return { data, text: `${renderTable(data, columns, noAccounts)}\n\n${credits}` };
    },
  },
  {
    name: "account list",
    summary: "List accounts.",
    positionals: [],
    options: { after: "list accounts after this id" },
    example: "gatectl account list",
    async run({ options }, server) {
      const data = await accountsAfter(server, options["after"]);
      return { data, text: renderTable(data, columns, noAccounts) };
    },
  },
  {
    name: "account set",
    summary: "Rename an account.",
    positionals: ["ID"],
    options: { "name!": "display name" },
    example: "gatectl account set acme --name 'Acme Ltd.'",
    run: (args, server) => set(args, server, { name: args.options["name"] }),
  },
  {
    name: "account disable",
    summary: "Refuse all calls of an account's keys. Calls in progress continue.",
    positionals: ["ID"],
    options: {},
    example: "gatectl account disable acme",
    run: (args, server) => set(args, server, { disabled: true }),
  },
  {
    name: "account enable",
    summary: "Enable a disabled account.",
    positionals: ["ID"],
    options: {},
    example: "gatectl account enable acme",
    run: (args, server) => set(args, server, { disabled: false }),
  },
  {
    name: "account top-up",
    summary: "Add money to an account.",
    positionals: ["ID", "AMOUNT"],
    options: {
      reason: "reason, stored with the entry",
      "operation-id": "id of the operation; a repeated command with the same id has no effect",
    },
    example: "gatectl account top-up acme 50.00 --reason 'invoice 7'",
    async run(args, server) {
      const amount = requiredPositional(args, 1, "AMOUNT");
      if (!/^\d+(\.\d+)?$/.test(amount))
        throw new UsageError(
          "AMOUNT must be US dollars above zero, as in 50.00. Use `account correct` to reduce a balance",
        );
      return change(args, server.post, amount, "top-up");
    },
  },
  {
    name: "account correct",
    summary: "Correct an account's balance, in either direction.",
    positionals: ["ID", "AMOUNT"],
    options: {
      "reason!": "reason, stored with the entry",
      "operation-id": "id of the operation; a repeated command with the same id has no effect",
    },
    example: "gatectl account correct acme -3.20 --reason 'call billed twice by the vendor'",
    run: (args, server) => change(args, server.post, requiredPositional(args, 1, "AMOUNT"), "correction"),
  },
];

/** Reads all pages of the list of accounts. The last one is empty. */
async function accountsAfter(server: Server, first: string | undefined): Promise<readonly unknown[]> {
  const accounts: unknown[] = [];
  for (let after = first; ;) {
    const answer = await server.get("/accounts", { after });
    const page: readonly unknown[] = Array.isArray(answer) ? answer : [];
    const last = field(page.at(-1), "id");
    if (typeof last !== "string") return accounts;
    accounts.push(...page);
    after = last;
  }
}

async function set(args: Arguments, server: Server, body: object): Promise<Output> {
  const data = await server.post(`/accounts/${positionalInPath(args, 0, "ID")}`, body);
  return { data, text: renderTable(data, columns, noAccounts) };
}

async function change(
  args: Arguments,
  post: (path: string, body: object) => Promise<unknown>,
  amount: string,
  kind: "top-up" | "correction",
) {
  const path = `/accounts/${positionalInPath(args, 0, "ID")}/credits`;
  const operationId = args.options["operation-id"] ?? randomUUID();
  try {
    const data = await post(path, { amount, kind, reason: args.options["reason"] ?? kind, operationId });
    return { data, text: renderTable(data, columns, noAccounts) };
  } catch (error) {
    if (!mayHaveSucceeded(error)) throw error;
    const hint = `The balance may have changed. To repeat the command safely, add --operation-id ${operationId}`;
    throw new CommandFailed(`${error.message} ${hint}`, error.details);
  }
}
