import { readFile, writeFile } from "node:fs/promises";
import { readVariables } from "@modelgate/platform";
import { readConfigurationPath } from "../env.ts";
import { parseConfiguration, problemLines } from "../configuration/read.ts";
import { field } from "../field.ts";
import { stateColumns } from "./channels.ts";
import { CommandFailed } from "./server.ts";
import { defaultFile } from "./config.ts";
import { importModels } from "./import-models.ts";
import { requiredPositional, positionalInPath, type Command, type Output } from "./command.ts";
import { fieldCell, renderTable, type Column } from "./table.ts";

const columns: readonly Column[] = [
  ["MODEL", fieldCell("name")],
  ["KIND", fieldCell("kind")],
  ["CONTEXT", fieldCell("contextTokens")],
  ["SELECTION", fieldCell("choice")],
  ["FALLBACKS", fieldCell("fallbacks")],
  ["SHARES", fieldCell("shares")],
];
const priceColumns: readonly Column[] = [
  ["FIELD", fieldCell("field")],
  ["PRICE", priceCell],
  ["FROM", fieldCell("from")],
  ["DATE", fieldCell("day")],
];
const channelColumns: readonly Column[] = [
  ["CHANNEL", fieldCell("id")],
  ["PROVIDER", fieldCell("provider")],
  ["VENDOR'S MODEL", fieldCell("upstreamModel")],
  ["PRIORITY", fieldCell("priority")],
  ["WEIGHT", fieldCell("weight")],
  ...stateColumns,
];

const modelOutput = (data: unknown, channels: unknown): Output => ({
  data,
  text: [
    renderTable(data, columns, ""),
    renderTable(field(data, "price"), priceColumns, "no price: calls of this model cost nothing"),
    renderTable(withStates(field(data, "channels"), channels), channelColumns, "no channels"),
  ].join("\n\n"),
});

/** Adds the states of all channels to the channels of a model. */
function withStates(rows: unknown, channels: unknown): unknown {
  const all: readonly unknown[] = Array.isArray(channels) ? channels : [];
  const stateOf = (row: unknown) => all.find((channel) => field(channel, "id") === field(row, "id"));
  return Array.isArray(rows) ? rows.map((row: unknown) => Object.assign({}, stateOf(row), row)) : rows;
}

/** Shows a price with its unit. Service tiers have factors of all prices instead. */
function priceCell(row: unknown): string {
  const [dollars, unit] = [fieldCell("dollars")(row), fieldCell("per")(row)];
  return unit === "factor" ? `× ${dollars}` : `$${dollars} per ${unit}`;
}

/** Writes imported models into a file. Throws CommandFailed if the result would be invalid. */
async function writeImported(path: string, channel: string, listed: readonly unknown[]): Promise<Output> {
  const { text, added, known, unpriced } = importModels(await readFile(path, "utf8"), channel, listed);
  const { problems = [] } = parseConfiguration(text);
  if (problems.length > 0)
    throw new CommandFailed(`${path} would be wrong, and was not written:\n${problemLines(problems)}`);
  if (added.length > 0) await writeFile(path, text);
  const lines = [
    `${path}: ${added.length} added, ${known.length} already present`,
    ...added.map((name) => `  + ${name}`),
    ...(unpriced.length === 0 ? [] : [`without a known price, left out: ${unpriced.join(", ")}`]),
  ];
  return { data: { path, added, known, unpriced }, text: lines.join("\n") };
}

/** Commands for models, their prices and routes. */
export const modelCommands: readonly Command[] = [
  {
    name: "model show",
    summary: "Show a model: its price, the source and date of each number, and its channels with their state.",
    positionals: ["MODEL"],
    options: {},
    example: "gatectl model show gpt-5-mini",
    run: async (args, server) =>
      modelOutput(await server.get(`/models/${positionalInPath(args, 0, "MODEL")}`), await server.get("/channels")),
  },
  {
    name: "model import",
    summary: "Write the models that a channel's vendor lists into the configuration file, with their known prices.",
    positionals: ["CHANNEL"],
    options: { file: "the configuration file (default: MODELGATE_CONFIG)" },
    example: "gatectl model import groq --file my.yaml",
    async run(args, server) {
      const listed = await server.get(`/channels/${positionalInPath(args, 0, "CHANNEL")}/models`);
      const path = args.options["file"] ?? readVariables(readConfigurationPath) ?? defaultFile;
      return await writeImported(path, requiredPositional(args, 0, "CHANNEL"), Array.isArray(listed) ? listed : []);
    },
  },
];
