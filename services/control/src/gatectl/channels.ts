import { position } from "./accounts.ts";
import type { Arguments, Command, Output } from "./command.ts";
import { field, type Server } from "./server.ts";
import { cell, table, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["CHANNEL", cell("id")],
  ["PROVIDER", cell("provider")],
  ["MODELS", cell("models")],
  ["GROUPS", cell("groups")],
  ["PRIORITY", cell("priority")],
  ["WEIGHT", cell("weight")],
  ["STATE", cell("state")],
  ["WHY", cell("reason")],
  ["SINCE", cell("since")],
];

const show = (data: unknown): Output => ({ data, text: table(data, columns, "no channels") });
const switched = (verb: string) => async (args: Arguments, server: Server) =>
  show(await server.post(`/channels/${position(args, 0, "CHANNEL")}/${verb}`, { reason: args.options["reason"] }));

export const channelCommands: readonly Command[] = [
  {
    name: "channel list",
    summary: "List channels with their state.",
    positionals: [],
    options: {},
    example: "gatectl channel list",
    run: async (_, server) => show(await server.get("/channels")),
  },
  {
    name: "channel show",
    summary: "Show a channel and its keys' states.",
    positionals: ["CHANNEL"],
    options: {},
    example: "gatectl channel show main",
    async run(args, server) {
      const data = await server.get(`/channels/${position(args, 0, "CHANNEL")}`);
      const keys = table(
        field(data, "keys"),
        [
          ["KEY", cell("id")],
          ["STATE", cell("state")],
          ["WHY", cell("reason")],
          ["UNTIL", cell("until")],
        ],
        "no keys",
      );
      return { data, text: `${table(data, columns, "")}\n\n${keys}` };
    },
  },
  {
    name: "channel disable",
    summary: "Send no calls through a channel, in all replicas.",
    positionals: ["CHANNEL"],
    options: { reason: "why" },
    example: "gatectl channel disable main --reason 'vendor maintenance'",
    run: switched("disable"),
  },
  {
    name: "channel enable",
    summary: "Use a channel again, and forget why it rested.",
    positionals: ["CHANNEL"],
    options: {},
    example: "gatectl channel enable main",
    run: switched("enable"),
  },
  {
    name: "channel test",
    summary: "Send one small real call through a channel.",
    positionals: ["CHANNEL"],
    options: {},
    example: "gatectl channel test main",
    async run(args, server) {
      const data = await server.post(`/channels/${position(args, 0, "CHANNEL")}/test`);
      const ok = field(data, "ok") === true;
      return {
        data,
        text:
          table(
            data,
            [
              ["CHANNEL", cell("channel")],
              ["MODEL", cell("model")],
              ["RESULT", () => (ok ? "works" : "fails")],
              ["STATUS", cell("status")],
              ["MS", cell("ms")],
            ],
            "",
          ) + (ok ? "" : `\n${String(field(data, "said"))}`),
        exitCode: ok ? 0 : 1,
      };
    },
  },
];
