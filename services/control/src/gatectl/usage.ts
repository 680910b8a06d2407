import { firstByteDimensionNames, formatUsd, parseNanos, toolUnits, totalsDimensionNames } from "@modelgate/contracts";
import type { Command } from "./command.ts";
import { field } from "../field.ts";
import { dollarsCell, fieldCell, renderTable, type Column } from "./table.ts";

/** Filters of usage commands. Each is a parameter of the API. */
export const usageFilters: Readonly<Record<string, string>> = {
  account: "only this account",
  organisation: "only accounts of this organisation",
  team: "only keys of this team, with --organisation or --account; several are separated by commas",
  token: "only this token",
  model: "only this model",
  channel: "only this channel",
  outcome: "only calls with this outcome: completed, cancelled or failed",
  status: "only calls with this HTTP status",
  "request-id": "only the call with this request id, or this id of the vendor",
  tag: "only calls with this tag, as in team=search; several are separated by commas",
  "end-user": "only calls of this end user",
  period: "this-month or last-month (UTC), in place of --from and --to",
  day: "one day, as in 2026-01-31 (default: today)",
  from: "first day or time, as in 2026-01-31T12:00:00Z",
  to: "last day or time",
};

const sumText = (row: unknown, name: string): string => {
  const value = field(field(row, "sums"), name);
  return typeof value === "string" ? value : "0";
};

const firstByteFilters = Object.fromEntries(
  ["account", "model", "channel", "period", "day", "from", "to"].map((name) => [name, usageFilters[name] ?? name]),
);

/** Commands for usage totals and times to first byte. */
export const usageCommands: readonly Command[] = [
  {
    name: "usage first-bytes",
    summary: "Show the time to the first byte of completed calls: p50 and p95, accurate to 5 %.",
    positionals: [],
    options: {
      by: `group by: ${firstByteDimensionNames.join(", ")} (comma-separated; a tag alone or with day; default: all calls together)`,
      ...firstByteFilters,
    },
    example: "gatectl usage first-bytes --by model --from 2026-01-01 --to 2026-01-31",
    async run({ options }, server) {
      const data = await server.get("/usage/first-bytes", options);
      const by = (options["by"] ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
      const text = renderTable(
        data,
        [
          ...by.map((name) => [name.toUpperCase(), (row: unknown) => fieldCell(name)(field(row, "by"))] as const),
          ["CALLS", fieldCell("calls")],
          ["P50 MS", fieldCell("p50")],
          ["P95 MS", fieldCell("p95")],
        ],
        "no completed calls",
      );
      return { data, text };
    },
  },
  {
    name: "usage forecast",
    summary: "Estimate the spend of a period (default: this month) from the mean of the last seven days.",
    positionals: [],
    options: usageFilters,
    example: "gatectl usage forecast --period this-month --account acme",
    async run({ options }, server) {
      const data = await server.get("/usage/forecast", options);
      const columns: readonly Column[] = [
        ["FROM", fieldCell("from")],
        ["TO", fieldCell("to")],
        ["SPENT", dollarsCell("spentNanos")],
        ["FORECAST", dollarsCell("forecastNanos")],
      ];
      return { data, text: renderTable(data, columns, "no usage") };
    },
  },
  {
    name: "usage",
    summary: "Show totals of usage and cost.",
    positionals: [],
    options: {
      by: `group by: ${totalsDimensionNames.join(", ")} (comma-separated; default: account,model,day)`,
      ...usageFilters,
    },
    example: "gatectl usage --by account,token,model,day --from 2026-01-01 --to 2026-01-31",
    async run({ options }, server) {
      const data = await server.get("/usage", options);
      const by = (options["by"] ?? "account,model,day").split(",").map((name) => name.trim());
      const text = renderTable(
        data,
        [
          ...by.map(
            (name) => [name.toUpperCase(), (row: unknown) => fieldCell(name)(field(row, "by")) || "-"] as const,
          ),
          ["CALLS", (row) => sumText(row, "calls")],
          ["INPUT", (row) => sumText(row, "inputTokens")],
          ["CACHED", (row) => sumText(row, "cachedInputTokens")],
          ["OUTPUT", (row) => sumText(row, "outputTokens")],
          ["TOOLS", (row) => String(toolUnits.reduce((all, unit) => all + BigInt(sumText(row, unit)), 0n))],
          ["COST", (row) => `$${formatUsd(parseNanos(sumText(row, "costNanos")))}`],
        ],
        "no usage",
      );
      return { data, text };
    },
  },
];
