import { parseArgs } from "node:util";
import { StartError } from "@modelgate/platform";
import { accountCommands } from "./accounts.ts";
import { alertCommands } from "./alerts.ts";
import { budgetCommands } from "./budgets.ts";
import { channelCommands } from "./channels.ts";
import { CommandFailed, findServer } from "./server.ts";
import { confirm, UsageError, type Arguments, type Command, type Terminal } from "./command.ts";
import { configCommands } from "./config.ts";
import { helpOf, renderOverview } from "./help.ts";
import { ledgerCommands } from "./ledger.ts";
import { modelCommands } from "./models.ts";
import { organisationCommands } from "./organisations.ts";
import { operatorCommands } from "./operators.ts";
import { escapeControlCharacters } from "./table.ts";
import { tokenCommands } from "./tokens.ts";
import { usageShowCommand } from "./usage-show.ts";
import { usageLogCommands } from "./usage-log.ts";
import { usageCommands } from "./usage.ts";

/** Prefix that hides a negative amount from `parseArgs`. No argument can contain it. */
const amountPrefix = "\u0000";

export const commands: readonly Command[] = [
  ...accountCommands,
  ...organisationCommands,
  ...tokenCommands,
  ...budgetCommands,
  ...alertCommands,
  ...channelCommands,
  usageShowCommand,
  ...usageLogCommands, // before `usage`, because the first matching command runs
  ...usageCommands,
  ...ledgerCommands,
  ...modelCommands,
  ...configCommands,
  ...operatorCommands,
];

/** Runs a command line and returns the exit status. */
export async function runGatectl(args: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr, env } = terminal;
  const print = (text: string, exitCode: number): number => {
    stdout.write(`${text}\n`);
    return exitCode;
  };
  const words = toSingular(args);
  const isJson = args.includes("--json");
  /** Writes an error. With `--json`, omits the hint. */
  const writeError = (text: string, exitCode: number, { hint = "", ...details }: ErrorDetails = {}): number => {
    const json = JSON.stringify({ error: { message: text, ...details } });
    stderr.write(isJson ? `${json}\n` : `gatectl: ${escapeLines(text + hint)}\n`);
    return exitCode;
  };
  const command = commands.find(({ name }) => name.split(" ").every((word, at) => words[at] === word));
  if (command === undefined) {
    const { text, isHelp, hint = "" } = overviewFor(words);
    return isHelp ? print(text, 0) : writeError(text, 2, { hint });
  }
  try {
    const { json, help, ...args } = parseCommandLine(command, words.slice(command.name.split(" ").length));
    if (help) return print(helpOf(command), 0);
    const {
      data,
      text,
      exitCode = 0,
    } = await command.run(
      { ...args, json, stdout, confirm: (question) => confirm(terminal, question) },
      findServer(env),
    );
    return text === "" && !json ? exitCode : print(escapeLines(json ? JSON.stringify(data) : text), exitCode);
  } catch (error) {
    if (error instanceof UsageError) return writeError(error.message, 2, { hint: `\n\n${helpOf(command)}` });
    if (error instanceof CommandFailed) return writeError(error.message, 1, error.details);
    if (error instanceof StartError) return writeError(error.message, 1);
    throw error;
  }
}

interface ErrorDetails {
  readonly hint?: string;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}

/** Escapes control characters, so that a terminal does not execute them. */
function escapeLines(text: string): string {
  return text.split("\n").map(escapeControlCharacters).join("\n");
}

/** Replaces plural words: `channels` lists channels, `channels disable main` means `channel disable main`. */
function toSingular(words: readonly string[]): readonly string[] {
  const [topic = "", verb = "", ...rest] = words;
  const one = topic.replace(/s$/, "");
  const hasCommand = (known: string): boolean => commands.some(({ name }) => name === `${one} ${known}`);
  if (one === topic || !hasCommand("list")) return words;
  return hasCommand(verb) ? [one, verb, ...rest] : [one, "list", ...words.slice(1)];
}

/**
 * Returns the list of commands if help was requested; otherwise the message for an unknown command, with the list as a
 * hint.
 */
function overviewFor(words: readonly string[]): {
  readonly text: string;
  readonly isHelp: boolean;
  readonly hint?: string;
} {
  if (words.length === 0 || words[0] === "--help" || words[0] === "help")
    return { text: renderOverview(commands), isHelp: true };
  const [topic] = words;
  const similarCommands = commands.filter(({ name }) => name.split(" ")[0] === topic);
  if (similarCommands.length > 0 && words.includes("--help"))
    return { text: renderOverview(similarCommands), isHelp: true };
  const message = `There is no command ${JSON.stringify(words.slice(0, 2).join(" "))}.`;
  return {
    text: message,
    hint: `\n\n${renderOverview(similarCommands.length > 0 ? similarCommands : commands)}`,
    isHelp: false,
  };
}

function parseCommandLine(
  command: Command,
  words: readonly string[],
): Omit<Arguments, "stdout" | "confirm"> & { readonly help: boolean } {
  const names = Object.keys(command.options);
  try {
    const { values, positionals } = parseArgs({
      args: words.map(escapeNegativeAmount),
      allowPositionals: true,
      strict: true,
      options: {
        ...Object.fromEntries(names.map((name) => [name.replace("!", ""), { type: "string" as const }])),
        ...Object.fromEntries(Object.keys(command.flags ?? {}).map((name) => [name, { type: "boolean" as const }])),
        json: { type: "boolean" as const },
        help: { type: "boolean" as const },
      },
    });
    const options = Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, unescapeNegativeAmount(value)]] : [],
      ),
    );
    const help = values["help"] === true;
    const missing = names
      .filter((name) => name.endsWith("!"))
      .find((name) => !Object.hasOwn(options, name.replace("!", "")));
    if (missing !== undefined && !help) throw new UsageError(`--${missing.replace("!", "")} is missing`);
    if (positionals.length > command.positionals.length)
      throw new UsageError(`too many arguments: ${positionals.slice(command.positionals.length).join(" ")}`);
    return {
      positionals: positionals.map(unescapeNegativeAmount),
      options,
      flags: new Set(Object.entries(values).flatMap(([name, value]) => (typeof value === "boolean" ? [name] : []))),
      json: values["json"] === true,
      help,
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Hides a negative amount from `parseArgs`, which would read an option. */
function escapeNegativeAmount(word: string): string {
  return /^-\d/.test(word) ? amountPrefix + word : word;
}

function unescapeNegativeAmount(word: string): string {
  return word.startsWith(amountPrefix) ? word.slice(amountPrefix.length) : word;
}
