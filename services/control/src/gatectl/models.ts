import { field } from "../field.ts";
import { positionInPath, type Command, type Output } from "./command.ts";
import { cell, table, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["MODEL", cell("name")],
  ["KIND", cell("kind")],
  ["CONTEXT", cell("contextTokens")],
  ["CHOICE", cell("choice")],
  ["SHARES", cell("shares")],
];
const priceColumns: readonly Column[] = [
  ["PRICE", cell("field")],
  ["DOLLARS", cell("dollars")],
  ["PER", cell("per")],
  ["FROM", cell("from")],
  ["OF", cell("day")],
];
const channelColumns: readonly Column[] = [
  ["CHANNEL", cell("id")],
  ["PROVIDER", cell("provider")],
  ["THERE", cell("upstreamModel")],
  ["PRIORITY", cell("priority")],
  ["WEIGHT", cell("weight")],
];

const shown = (data: unknown): Output => ({
  data,
  text: [
    table(data, columns, ""),
    table(field(data, "price"), priceColumns, "no price: calls of this model cost nothing"),
    table(field(data, "channels"), channelColumns, "no channels"),
  ].join("\n\n"),
});

/** Models: what they cost and where they go. */
export const modelCommands: readonly Command[] = [
  {
    name: "model show",
    summary: "Show a model: where each number of its price comes from and of what day, and the channels that serve it.",
    positionals: ["MODEL"],
    options: {},
    example: "gatectl model show gpt-5-mini",
    run: async (args, server) => shown(await server.get(`/models/${positionInPath(args, 0, "MODEL")}`)),
  },
];
