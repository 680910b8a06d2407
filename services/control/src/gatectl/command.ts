import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline/promises";
import type { Server } from "./server.ts";

/** Arguments of a command. */
export interface Arguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** The given options without a value. */
  readonly flags: ReadonlySet<string>;
  /** True if the output is one JSON document. */
  readonly json: boolean;
  /** Output for an answer that is written in parts. */
  readonly stdout: Writable;
  /** Asks a person. Returns true without asking if the input is not a terminal, so that scripts continue. */
  readonly confirm: (question: string) => Promise<boolean>;
}

/** Input, output and environment of a command line. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asks a question on a terminal. Returns true for "y" and "yes", and without asking if the input is not a terminal. */
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
  /** Empty if the command wrote its output itself. */
  readonly text: string;
  /** Not zero for a negative result: an invalid configuration, a channel that fails its test. */
  readonly exitCode?: number;
}

/** A command of gatectl; parsing, help and execution use this row. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly string[];
  /** Options with a value: name → description; "!" at the end marks required ones. */
  readonly options: Readonly<Record<string, string>>;
  /** Options without a value: name → description. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly example: string;
  readonly run: (args: Arguments, server: Server) => Promise<Output>;
}

/** Invalid command-line usage; printed with a hint, exit status 2. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

/** Returns a required positional argument. Throws WrongUsage. */
export function position({ positionals }: Arguments, at: number, name: string): string {
  const value = positionals[at];
  if (value === undefined || value === "") throw new WrongUsage(`${name} is missing`);
  return value;
}

/** Returns a required positional argument, encoded for a path. Throws WrongUsage. */
export function positionInPath(args: Arguments, at: number, name: string): string {
  return encodeURIComponent(position(args, at, name));
}
