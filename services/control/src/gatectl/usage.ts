import { formatUsd, parseNanos, toolUnits } from "@modelgate/contracts";
import type { Command } from "./command.ts";
import { field } from "../field.ts";
import { cell, table } from "./table.ts";
import { usageFilters } from "./usage-filters.ts";

const dimensions = ["account", "token", "model", "channel", "outcome", "day", "hour", "endUser", "tag:<name>"];
const sum = (row: unknown, name: string): string => {
  const value = field(field(row, "sums"), name);
  return typeof value === "string" ? value : "0";
};

/** Filters of the times to the first byte. */
const firstByteFilters = Object.fromEntries(
  ["account", "model", "channel", "day", "from", "to"].map((name) => [name, usageFilters[name] ?? name]),
);

/** Totals of usage, and times to the first byte. */
export const usageCommands: readonly Command[] = [
  {
    name: "usage first-bytes",
    summary: "Within what time half and 95 % of the completed calls had their first byte, within 5 %.",
    positionals: [],
    options: {
      by: "group by: model, channel, day, hour; or tag:<name>, alone or with day (comma-separated; of all together)",
      ...firstByteFilters,
    },
    example: "gatectl usage first-bytes --by model --from 2026-01-01 --to 2026-01-31",
    async run({ options }, server) {
      const data = await server.get("/usage/first-bytes", options);
      const by = (options["by"] ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
      const text = table(
        data,
        [
          ...by.map((name) => [name.toUpperCase(), (row: unknown) => cell(name)(field(row, "by"))] as const),
          ["CALLS", cell("calls")],
          ["P50 MS", cell("p50")],
          ["P95 MS", cell("p95")],
        ],
        "no completed calls",
      );
      return { data, text };
    },
  },
  {
    name: "usage",
    summary: "Totals of usage and cost.",
    positionals: [],
    options: {
      by: `group by: ${dimensions.join(", ")} (comma-separated; account,model,day)`,
      ...usageFilters,
    },
    example: "gatectl usage --by account,token,model,day --from 2026-01-01 --to 2026-01-31",
    async run({ options }, server) {
      const data = await server.get("/usage", options);
      const by = (options["by"] ?? "account,model,day").split(",").map((name) => name.trim());
      const text = table(
        data,
        [
          ...by.map((name) => [name.toUpperCase(), (row: unknown) => cell(name)(field(row, "by")) || "-"] as const),
          ["CALLS", (row) => sum(row, "calls")],
          ["INPUT", (row) => sum(row, "inputTokens")],
          ["CACHED", (row) => sum(row, "cachedInputTokens")],
          ["OUTPUT", (row) => sum(row, "outputTokens")],
          ["TOOLS", (row) => String(toolUnits.reduce((all, unit) => all + BigInt(sum(row, unit)), 0n))],
          ["COST", (row) => `$${formatUsd(parseNanos(sum(row, "costNanos")))}`],
        ],
        "no usage",
      );
      return { data, text };
    },
  },
];
