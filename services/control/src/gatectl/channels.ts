import { positionalInPath, type Arguments, type Command, type Output } from "./command.ts";
import { field } from "../field.ts";
import type { Server } from "./server.ts";
import { fieldCell, renderTable, type Column } from "./table.ts";

/** Columns of the state of a channel, key or model. */
export const stateColumns: readonly Column[] = [
  ["STATE", fieldCell("state")],
  ["REASON", reasonCell],
];
const states: readonly Column[] = [...stateColumns, ["SINCE", fieldCell("since")], ["UNTIL", fieldCell("until")]];
const columns: readonly Column[] = [
  ["CHANNEL", fieldCell("id")],
  ["PROVIDER", fieldCell("provider")],
  ["MODELS", fieldCell("models")],
  ["GROUPS", fieldCell("groups")],
  ["PRIORITY", fieldCell("priority")],
  ["WEIGHT", fieldCell("weight")],
  ["CONCURRENT", seatsCell],
  ["KEYS", fieldCell("usableKeys")],
  ["ACCOUNTS IN COOLDOWN", fieldCell("accountsInCooldown")],
  ["CAPPED CALLS", fieldCell("cappedCalls")],
  ...states,
];
const keyColumns: readonly Column[] = [["KEY", fieldCell("id")], ["CONCURRENT", seatsCell], ...states];
const modelColumns: readonly Column[] = [["MODEL", fieldCell("model")], ["KEY", fieldCell("key")], ...states];
const accountColumns: readonly Column[] = [["ACCOUNT", fieldCell("account")], ["SCOPE", fieldCell("scope")], ...states];

function reasonCell(row: unknown): string {
  const vendorMessage = field(row, "vendorMessage");
  return fieldCell("reason")(row) + (typeof vendorMessage === "string" ? `: ${vendorMessage}` : "");
}

function seatsCell(row: unknown): string {
  const limited = field(row, "seats");
  const [inUse, max] = [field(limited, "inUse"), field(limited, "max")];
  return typeof inUse === "number" && typeof max === "number" ? `${inUse}/${max}` : "-";
}

const listChannels = (data: unknown): Output => ({ data, text: renderTable(data, columns, "no channels") });
const showChannel = (data: unknown): Output => ({
  data,
  text: [
    renderTable(data, columns, ""),
    renderTable(field(data, "keys"), keyColumns, "no keys"),
    ...(isEmpty(field(data, "affectedModels")) ? [] : [renderTable(field(data, "affectedModels"), modelColumns, "")]),
    ...(isEmpty(field(data, "accountCooldowns"))
      ? []
      : [renderTable(field(data, "accountCooldowns"), accountColumns, "")]),
  ].join("\n\n"),
});
const isEmpty = (rows: unknown): boolean => !Array.isArray(rows) || rows.length === 0;
const key = "id of a key, as in `channel show`";
const switchCommand = (verb: string) => async (args: Arguments, server: Server) =>
  showChannel(
    await server.post(`/channels/${positionalInPath(args, 0, "CHANNEL")}/${verb}`, {
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
    run: async (_, server) => listChannels(await server.get("/channels")),
  },
  {
    name: "channel show",
    summary:
      "Show a channel: the states of its keys and models, cooldowns for single accounts, and calls whose reported usage was too high.",
    positionals: ["CHANNEL"],
    options: {},
    example: "gatectl channel show main",
    run: async (args, server) => showChannel(await server.get(`/channels/${positionalInPath(args, 0, "CHANNEL")}`)),
  },
  {
    name: "channel disable",
    summary: "Disable a channel or one of its keys, in all replicas.",
    positionals: ["CHANNEL"],
    options: { reason: "reason, shown with the state", key },
    example: "gatectl channel disable main --reason 'vendor maintenance'",
    run: switchCommand("disable"),
  },
  {
    name: "channel enable",
    summary: "Enable a channel or one of its keys for all accounts, and end its cooldown.",
    positionals: ["CHANNEL"],
    options: { key },
    example: "gatectl channel enable main",
    run: switchCommand("enable"),
  },
  {
    name: "channel test",
    summary: "Send one small real call through a channel.",
    positionals: ["CHANNEL"],
    options: { key: "id of the key to try (default: the first)", model: "model to try (default: the first)" },
    example: "gatectl channel test main",
    async run(args, server) {
      const { key: keyId, model } = args.options;
      const data = await server.post(`/channels/${positionalInPath(args, 0, "CHANNEL")}/test`, { key: keyId, model });
      const ok = field(data, "ok") === true;
      return {
        data,
        text:
          renderTable(
            data,
            [
              ["CHANNEL", fieldCell("channel")],
              ["KEY", fieldCell("key")],
              ["MODEL", fieldCell("model")],
              ["RESULT", () => (ok ? "works" : "fails")],
              ["STATUS", fieldCell("status")],
              ["MS", fieldCell("ms")],
            ],
            "",
          ) + (ok ? "" : `\n${String(field(data, "vendorMessage"))}`),
        exitCode: ok ? 0 : 1,
      };
    },
  },
];
