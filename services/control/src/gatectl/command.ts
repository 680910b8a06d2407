import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline/promises";
import type { Server } from "./server.ts";

/** Arguments of a command. */
export interface Arguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** The options without a value that were given. */
  readonly flags: ReadonlySet<string>;
  /** True if the answer is one JSON document. */
  readonly json: boolean;
  /** For an answer that is written piece by piece. */
  readonly stdout: Writable;
  /** Asks a person; true without asking if nobody is at the terminal, so that scripts go on. */
  readonly confirm: (question: string) => Promise<boolean>;
}

/** Surroundings of a command line: its input and output, and the environment that names the server. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asks a question on a terminal; true for "y" and "yes", and without asking if the input is no terminal. */
export async function confirm(
  { stdin, stderr }: Pick<Terminal, "stdin" | "stderr">,
  question: string,
): Promise<boolean> {
  if (stdin.isTTY !== true) return true;
  using terminal = createInterface({ input: stdin, output: stderr });
  return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
}

/** Result of a command, as JSON and as text for a person. */
export interface Output {
  readonly data: unknown;
  /** Empty where the command has written for itself. */
  readonly text: string;
  /** Not zero where the answer is bad news: a wrong configuration, a channel that fails its test. */
  readonly exitCode?: number;
}

/** One command of gatectl: a row from which parsing, help and running come. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly string[];
  /** Options with a value: name → what it is; required ones end in "!". */
  readonly options: Readonly<Record<string, string>>;
  /** Options without a value: name → what it is. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly example: string;
  readonly run: (args: Arguments, server: Server) => Promise<Output>;
}

/** A call that is not of the command's form; said with a hint, exit status 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

/** A position that the command cannot do without. Throws WrongUsage. */
export function position({ positionals }: Arguments, at: number, name: string): string {
  const value = positionals[at];
  if (value === undefined || value === "") throw new WrongUsage(`${name} is missing`);
  return value;
}

/** Likewise, as it is in a path of the operator's API. */
export function positionInPath(args: Arguments, at: number, name: string): string {
  return encodeURIComponent(position(args, at, name));
}
