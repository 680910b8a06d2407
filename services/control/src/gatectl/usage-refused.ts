import { field } from "../field.ts";
import type { Arguments } from "./command.ts";
import type { Server } from "./server.ts";
import { cell, table, type Column } from "./table.ts";

/** Describes further calls that a row represents. */
const alsoRefused = (row: unknown): string => {
  const calls = Number(field(row, "calls") ?? 1);
  return calls > 1 ? `and ${calls - 1} more` : "";
};
const columns: readonly Column[] = [
  ["TIME", cell("time")],
  ["REQUEST", cell("requestId")],
  ["ACCOUNT", cell("accountId")],
  ["TOKEN", cell("tokenId")],
  ["ENDPOINT", cell("endpoint")],
  ["MODEL", cell("model")],
  ["STATUS", cell("status")],
  ["CODE", cell("code")],
  ["FIELD", cell("param")],
  ["WHY", (row) => cell(field(row, "message") === undefined ? "meaning" : "message")(row)],
  ["", alsoRefused],
];

/** Lists the refused calls that match a command's filters; none if a filter uses a field that refused calls lack. */
export async function refusedCalls(server: Server, options: Arguments["options"]): Promise<readonly unknown[]> {
  const { channel, outcome, tag, "end-user": endUser, after, ...filter } = options;
  const isOfCalls = [channel, tag, endUser, after].some((value) => value !== undefined);
  if (isOfCalls || (outcome !== undefined && outcome !== "failed")) return [];
  const refused = field(await server.get("/usage/refused", filter), "refused");
  const calls: readonly unknown[] = Array.isArray(refused) ? refused : [];
  return calls;
}

/** Renders refused calls under a separate heading; an empty text where there are none. */
export function refusedTable(refused: readonly unknown[]): string {
  return refused.length === 0 ? "" : `Refused, at no cost:\n${table(refused, columns, "")}`;
}
