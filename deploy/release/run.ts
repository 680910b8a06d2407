import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Step } from "./steps.ts";

/** Formats a command as a line for a shell. */
export function shellLine(command: readonly string[]): string {
  return command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** Runs steps in order. Throws an error that names the first failed step. */
export function runSteps(steps: readonly Step[], print: (line: string) => void): void {
  const digests = new Map<string, string>();
  for (const { what, command, pushes } of steps) {
    const [program, ...words] = command.map((word) => withDigests(word, digests));
    if (program === undefined) continue;
    print(`── ${what}\n${shellLine([program, ...words])}`);
    // The output of a push contains its digest, and is also shown.
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      encoding: "utf8",
      stdio: ["ignore", pushes === undefined ? "inherit" : "pipe", pushes === undefined ? "inherit" : "pipe"],
    });
    if (pushes !== undefined) print(`${stdout ?? ""}${stderr ?? ""}`.trimEnd());
    if (status !== 0) throw new Error(`${what}: ${error?.message ?? `${program} ended with ${status}`}`);
    if (pushes !== undefined) {
      const printed = pushes.metadata === undefined ? `${stdout}${stderr}` : readFileSync(pushes.metadata, "utf8");
      const [, digest] = /(?:"containerimage\.digest":\s*"|^Digest: )(sha256:[0-9a-f]{64})/m.exec(printed) ?? [];
      if (digest === undefined) throw new Error(`${what}: ${program} named no digest`);
      digests.set(pushes.name, digest);
    }
  }
}

function withDigests(word: string, digests: ReadonlyMap<string, string>): string {
  return word.replaceAll(/\{digest of ([\w-]+)\}/g, (_, name: string) => {
    const digest = digests.get(name);
    if (digest === undefined) throw new Error(`${name} has not been pushed yet`);
    return digest;
  });
}
