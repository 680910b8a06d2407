import { positionInPath, type Arguments, type Command, type Output } from "./command.ts";
import { field } from "../field.ts";
import type { Server } from "./server.ts";
import { cell, table, type Column } from "./table.ts";

const states: readonly Column[] = [
  ["STATE", cell("state")],
  ["WHY", why],
  ["SINCE", cell("since")],
  ["UNTIL", cell("until")],
];
const columns: readonly Column[] = [
  ["CHANNEL", cell("id")],
  ["PROVIDER", cell("provider")],
  ["MODELS", cell("models")],
  ["GROUPS", cell("groups")],
  ["PRIORITY", cell("priority")],
  ["WEIGHT", cell("weight")],
  ["SEATS", seats],
  ["KEYS", cell("usableKeys")],
  ["RESTING FOR", cell("accountsOutTotal")],
  ["CAPPED", cell("cappedCalls")],
  ...states,
];
const keyColumns: readonly Column[] = [["KEY", cell("id")], ["SEATS", seats], ...states];
const modelColumns: readonly Column[] = [["MODEL", cell("model")], ["KEY", cell("key")], ...states];
const accountColumns: readonly Column[] = [["ACCOUNT", cell("account")], ["SCOPE", cell("scope")], ...states];

/** Returns the reason why a channel is not used, with its vendor's message. */
function why(row: unknown): string {
  const vendorMessage = field(row, "vendorMessage");
  return cell("reason")(row) + (typeof vendorMessage === "string" ? `: ${vendorMessage}` : "");
}

/** Returns slots in use and their maximum; "-" where there is no limit. */
function seats(row: unknown): string {
  const limited = field(row, "seats");
  const [inUse, most] = [field(limited, "inUse"), field(limited, "most")];
  return typeof inUse === "number" && typeof most === "number" ? `${inUse}/${most}` : "-";
}

const list = (data: unknown): Output => ({ data, text: table(data, columns, "no channels") });
const shown = (data: unknown): Output => ({
  data,
  text: [
    table(data, columns, ""),
    table(field(data, "keys"), keyColumns, "no keys"),
    ...(isEmpty(field(data, "modelsOut")) ? [] : [table(field(data, "modelsOut"), modelColumns, "")]),
    ...(isEmpty(field(data, "accountsOut")) ? [] : [table(field(data, "accountsOut"), accountColumns, "")]),
  ].join("\n\n"),
});
const isEmpty = (rows: unknown): boolean => !Array.isArray(rows) || rows.length === 0;
const key = "id of a key, as in `channel show`";
const switched = (verb: string) => async (args: Arguments, server: Server) =>
  shown(
    await server.post(`/channels/${positionInPath(args, 0, "CHANNEL")}/${verb}`, {
      reason: args.options["reason"],
      key: args.options["key"],
    }),
  );

/** Commands that show, enable, disable and test channels and their keys. */
export const channelCommands: readonly Command[] = [
  {
    name: "channel list",
    summary: "List channels with their state.",
    positionals: [],
    options: {},
    example: "gatectl channel list",
    run: async (_, server) => list(await server.get("/channels")),
  },
  {
    name: "channel show",
    summary: "Show a channel: the states of its keys and models, rests for single accounts, and capped calls.",
    positionals: ["CHANNEL"],
    options: {},
    example: "gatectl channel show main",
    run: async (args, server) => shown(await server.get(`/channels/${positionInPath(args, 0, "CHANNEL")}`)),
  },
  {
    name: "channel disable",
    summary: "Disable a channel or one of its keys, in all replicas.",
    positionals: ["CHANNEL"],
    options: { reason: "reason, shown with the state", key },
    example: "gatectl channel disable main --reason 'vendor maintenance'",
    run: switched("disable"),
  },
  {
    name: "channel enable",
    summary: "Enable a channel or one of its keys for all accounts, and end its rest.",
    positionals: ["CHANNEL"],
    options: { key },
    example: "gatectl channel enable main",
    run: switched("enable"),
  },
  {
    name: "channel test",
    summary: "Send one small real call through a channel.",
    positionals: ["CHANNEL"],
    options: { key: "id of the key to try (default: the first)", model: "model to try (default: the first)" },
    example: "gatectl channel test main",
    async run(args, server) {
      const { key: keyId, model } = args.options;
      const data = await server.post(`/channels/${positionInPath(args, 0, "CHANNEL")}/test`, { key: keyId, model });
      const ok = field(data, "ok") === true;
      return {
        data,
        text:
          table(
            data,
            [
              ["CHANNEL", cell("channel")],
              ["KEY", cell("key")],
              ["MODEL", cell("model")],
              ["RESULT", () => (ok ? "works" : "fails")],
              ["STATUS", cell("status")],
              ["MS", cell("ms")],
            ],
            "",
          ) + (ok ? "" : `\n${String(field(data, "vendorMessage"))}`),
        exitCode: ok ? 0 : 1,
      };
    },
  },
];
