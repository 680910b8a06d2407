import { expect } from "vitest";
import type { Arguments, Command, Output } from "../src/gatectl/command.ts";
import type { Server } from "../src/gatectl/server.ts";

const unused = () => expect.unreachable();

/** Runs a command of gatectl with a simulated server. */
export async function runCommand(
  commands: readonly Command[],
  name: string,
  args: Partial<Pick<Arguments, "positionals" | "options">>,
  server: Partial<Server>,
): Promise<Output> {
  const command = commands.find((known) => known.name === name) ?? unused();
  const unusedArguments = { flags: new Set<string>(), json: false, stdout: process.stdout, confirm: unused };
  return command.run(
    { positionals: [], options: {}, ...unusedArguments, ...args },
    { get: unused, post: unused, address: unused, stream: unused, ...server },
  );
}
