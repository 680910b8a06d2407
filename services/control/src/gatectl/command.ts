import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline/promises";
import type { Server } from "./server.ts";

export interface Arguments {
  readonly positionals: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
  readonly json: boolean;
  /** Output for answers that are streamed. */
  readonly stdout: Writable;
  /** Asks for a confirmation. Without a terminal, returns true. */
  readonly confirm: (question: string) => Promise<boolean>;
}

/** Input, output and environment of a command line. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Asks for a confirmation on a terminal. Without a terminal, returns true. */
export async function confirm(
  { stdin, stderr }: Pick<Terminal, "stdin" | "stderr">,
  question: string,
): Promise<boolean> {
  if (stdin.isTTY !== true) return true;
  using terminal = createInterface({ input: stdin, output: stderr });
  return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
}

/** Result of a command, as JSON and as text. */
export interface Output {
  readonly data: unknown;
  /** Text for a person; empty if the command wrote its output itself. */
  readonly text: string;
  /** Exit status; not 0 for a negative result, such as a failed test. */
  readonly exitCode?: number;
}

/** Description of a command, for parsing, help and execution. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly positionals: readonly string[];
  /** Descriptions of options with a value. The name of a required option ends with "!". */
  readonly options: Readonly<Record<string, string>>;
  /** Descriptions of options without a value. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly example: string;
  readonly run: (args: Arguments, server: Server) => Promise<Output>;
}

/** Error for an invalid command line. The exit status is 2. */
export class UsageError extends Error {
  override readonly name = "WrongUsage";
}

/** Returns a positional argument. Throws UsageError if it is missing. */
export function requiredPositional({ positionals }: Arguments, at: number, name: string): string {
  const value = positionals[at];
  if (value === undefined || value === "") throw new UsageError(`${name} is missing`);
  return value;
}

/** Returns a positional argument, encoded for a path. Throws UsageError if it is missing. */
export function positionalInPath(args: Arguments, at: number, name: string): string {
  return encodeURIComponent(requiredPositional(args, at, name));
}
