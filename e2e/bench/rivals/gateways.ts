import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { cpuMicros, memory } from "../measure.ts";

/** A gateway under measurement, each before the same stub. */
export interface Gateway extends AsyncDisposable {
  readonly name: string;
  /** Where it takes chat completions. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The processes of which it consists, by part; empty where it runs elsewhere. */
  readonly parts: Readonly<Record<string, readonly number[]>>;
}

/** CPU of each part of a gateway so far, microseconds. */
export function cpuOf({ parts }: Gateway): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(parts).map(([part, pids]) => [part, pids.flatMap(withChildren).map(cpuMicros).reduce(sum, 0)]),
  );
}

/** Resident memory of all processes of a gateway, bytes. */
export function memoryOf({ parts }: Gateway): number {
  const pids = new Set(Object.values(parts).flat().flatMap(withChildren));
  return Array.from(pids, (pid) => memory(pid).now).reduce(sum, 0);
}

function sum(left: number, right: number): number {
  return left + right;
}

/** A process and those that it started. */
function withChildren(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return [pid, ...children.flatMap(withChildren)];
}

function parentOf(pid: number): number | undefined {
  if (!Number.isInteger(pid)) return undefined;
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  } catch {
    return undefined; // it has ended meanwhile
  }
}

/** A program that is started here. */
export interface Started extends AsyncDisposable {
  readonly pid: number;
}

/** How long a gateway's start may take, and the pause between two looks, ms. */
const [startMs, lookMs] = [120_000, 250];

/** Starts a program and waits until its address answers anything. Throws where it ends before, with what it said. */
export async function startProgram(
  command: string,
  words: readonly string[],
  address: string,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Started> {
  const child = spawn(command, words, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said = (said + part.toString()).slice(-4_000)));
  const started = { pid: child.pid ?? 0, [Symbol.asyncDispose]: () => end(child) };
  for (const giveUpAt = Date.now() + startMs; ;) {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${said}`);
    if (await answers(address)) return started;
    if (Date.now() > giveUpAt) {
      await end(child);
      throw new Error(`${command} does not answer at ${address}: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

function answers(address: string): Promise<boolean> {
  return fetch(address).then(
    () => true,
    () => false,
  );
}
