import { setTimeout as pause } from "node:timers/promises";
import { spawnGuarded, type Child } from "@modelgate/deploy/local";

/** Running program of another gateway. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
  logs(): string;
}

/** Maximum ms of a start, and pause between two checks. */
const [startMs, checkIntervalMs] = [120_000, 250];

/**
 * Starts a program and waits until its address answers. It ends with this process. Throws with its last output if it
 * does not answer in time.
 */
export async function startProgram(
  command: string,
  words: readonly string[],
  address: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const child = spawnGuarded({ name: command, command, args: words, env });
  for (const giveUpAt = Date.now() + startMs; !(await answers(address));) {
    if (child.running && Date.now() < giveUpAt) await pause(checkIntervalMs);
    else await giveUp(child, address);
  }
  return { pid: child.pid, logs: () => child.logs(), [Symbol.asyncDispose]: () => child.stop() };
}

async function giveUp(child: Child, address: string): Promise<never> {
  await child.stop();
  throw new Error(`${child.name} does not answer at ${address}: ${child.logs().slice(-1_000)}`);
}

function answers(address: string): Promise<boolean> {
  return fetch(address).then(
    () => true,
    () => false,
  );
}
