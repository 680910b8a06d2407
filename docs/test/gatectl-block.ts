import { existsSync } from "node:fs";
import { join } from "node:path";
import { runGatectl } from "@modelgate/testkit";
import { root, type Ended } from "./start.ts";

/** Word of a command line without expansions. */
const word = /(?:[\w.,:/=@+%-]|"[^"$`\\]*"|'[^']*')+/;
const line = new RegExp(`^npm run gatectl --(?<words>(?: +${word.source})+)$`);

/**
 * Returns the arguments of each line of a block that only calls gatectl, with full paths of the repository's files;
 * undefined if it needs a shell.
 */
export function gatectlCalls(text: string): readonly (readonly string[])[] | undefined {
  const calls: string[][] = [];
  for (const each of text.trim().split("\n")) {
    const words = line.exec(each)?.groups?.["words"]?.match(new RegExp(word, "g"));
    if (words === undefined || words === null) return undefined;
    calls.push(words.map((one) => withFullPath(one.replaceAll(/["']/g, ""))));
  }
  return calls;
}

function withFullPath(word: string): string {
  const path = join(root, word);
  return word.includes("/") && existsSync(path) ? path : word;
}

/** Runs gatectl in this process, because a separate one takes half a second of CPU time. Ends at the first failure. */
export async function runCalls(
  calls: readonly (readonly string[])[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ended> {
  let output = "";
  for (const words of calls) {
    const { status, stdout, stderr } = await runGatectl(words, env);
    output += stdout + stderr;
    if (status !== 0) return { status, output };
  }
  return { status: 0, output };
}
