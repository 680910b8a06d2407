import { formatUsd, parseNanos } from "@modelgate/contracts";
import { field } from "../field.ts";
import { positionalInPath, UsageError, type Arguments, type Command } from "./command.ts";
import { dollarsCell, fieldCell, renderTable, timeCell, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["ID", fieldCell("id")],
  ["SCOPE", fieldCell("scope")],
  ["PERIOD", (row) => `${fieldCell("period")(row)} ${zoneIn(row)}`],
  ["MODE", fieldCell("mode")],
  ["AMOUNT", amountOf],
  ["USED", dollarsCell("usedNanos")],
  ["REMAINING", dollarsCell("remainingNanos")],
  ["RESETS", timeCell("resetsAt")],
];

function zoneIn(row: unknown): string {
  return field(row, "zone") === undefined ? "" : fieldCell("zone")(row);
}

function amountOf(row: unknown): string {
  const [amount, carried] = [dollarsCell("nanos")(row), field(row, "carriedNanos")];
  return typeof carried === "string" && carried !== "0" ? `${amount} + $${formatUsd(parseNanos(carried))}` : amount;
}

const amounts = {
  mode: "hard (refuses calls that it does not cover) or soft (only counts)",
  "rollover-cap": "maximum unspent US dollars that roll over to the next period; `none` removes it",
  name: "display name",
};

function bodyOf({ options }: Arguments): object {
  const cap = options["rollover-cap"];
  return {
    amount: options["amount"],
    mode: options["mode"],
    rolloverCap: cap === "none" ? null : cap,
    name: options["name"],
  };
}

const show = (data: unknown) => ({ data, text: renderTable(data, columns, "no budgets") });
const pathOf = (args: Arguments): string =>
  `/accounts/${positionalInPath(args, 0, "ACCOUNT")}/budgets/${positionalInPath(args, 1, "BUDGET")}`;

/** Commands for the budgets of an account. */
export const budgetCommands: readonly Command[] = [
  {
    name: "budget list",
    summary: "List an account's budgets with their use.",
    positionals: ["ACCOUNT"],
    options: {},
    example: "gatectl budget list acme",
    run: async (args, server) => show(await server.get(`/accounts/${positionalInPath(args, 0, "ACCOUNT")}/budgets`)),
  },
  {
    name: "budget create",
    summary: "Create a budget of an account, or of a part of its calls.",
    positionals: ["ACCOUNT"],
    options: {
      "scope!":
        "account, organisation:ID, team:ID, member:TEAM/NAME, member:NAME, key:ID, group:NAME, model:NAME, tag:NAME=VALUE or end-user:ID",
      "period!": "day, week, month, quarter or total",
      zone: "time zone in which the period begins, such as Europe/Berlin (every period but total needs one)",
      "amount!": "US dollars per period",
      ...amounts,
    },
    example: "gatectl budget create acme --scope tag:team=red --period month --zone Europe/Berlin --amount 100",
    async run(args, server) {
      const { scope, period, zone } = args.options;
      const body = { scope, period, zone, ...bodyOf(args) };
      return show(await server.post(`/accounts/${positionalInPath(args, 0, "ACCOUNT")}/budgets`, body));
    },
  },
  {
    name: "budget set",
    summary: "Change the amount, mode, rollover or name of a budget.",
    positionals: ["ACCOUNT", "BUDGET"],
    options: { amount: "US dollars per period", ...amounts },
    example: "gatectl budget set acme bud_0123456789ab --amount 150",
    async run(args, server) {
      if (Object.keys(args.options).length === 0) throw new UsageError("nothing to change");
      return show(await server.post(pathOf(args), bodyOf(args)));
    },
  },
  {
    name: "budget delete",
    summary: "Delete a budget.",
    positionals: ["ACCOUNT", "BUDGET"],
    options: {},
    example: "gatectl budget delete acme bud_0123456789ab",
    async run(args, server) {
      return { data: await server.post(`${pathOf(args)}/delete`, {}), text: "deleted" };
    },
  },
];
