import { spawnGuarded, type Child } from "@modelgate/deploy/local";

/** A rival's program. */
export interface Program extends AsyncDisposable {
  readonly pid: number;
}

/** How long a start may take, and the pause between two looks, ms. */
const [startMs, lookMs] = [120_000, 250];

/** Starts a program that ends with us, and waits until its address answers anything. Throws where it ends before, with its last words. */
export async function startProgram(
  command: string,
  words: readonly string[],
  address: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const child = spawnGuarded({ name: command, command, args: words, env });
  for (const giveUpAt = Date.now() + startMs; !(await answers(address));) {
    if (child.running && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, lookMs));
    else await giveUp(child, address);
  }
  return { pid: child.pid, [Symbol.asyncDispose]: () => child.stop() };
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
