import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { claim } from "../local/bootstrap/claim.mjs";
import { sourceStamp } from "./sources.ts";

/**
 * Folders that bundles take in turn. A running process finds the files of its bundle until so many newer ones exist.
 * Fixed names bound Node's compile cache, whose entries belong to paths.
 */
const slots = ["0", "1", "2", "3"];
/** Name of the file with the stamp of the sources, in the folder of a bundle. */
const stampFile = "built-from";

/** Maximum ms to wait for the bundle of another process, and pause between two attempts. */
const [maxWaitMs, pauseMs] = [300_000, 100];

/** Returns the folder with the bundle of a checkout's present sources; undefined if there is none. */
export function currentBuild(root: string, stamp = sourceStamp(root)): string | undefined {
  return slotsOf(root).find((slot) => stampOf(slot) === stamp);
}

/**
 * Bundles the present sources in place of the oldest bundle, unless another process does it at the same time. Returns
 * the folder.
 */
export async function buildCurrent(root: string, bundle: (folder: string) => Promise<void>): Promise<string> {
  const builds = buildsOf(root);
  mkdirSync(builds, { recursive: true });
  const release = await claimed(builds);
  try {
    const stamp = sourceStamp(root);
    const built = currentBuild(root, stamp);
    if (built !== undefined) return built;
    const making = join(builds, "making");
    rmSync(making, { recursive: true, force: true });
    await bundle(making);
    writeFileSync(join(making, stampFile), stamp);
    const [oldest = making] = slotsOf(root).toSorted((left, right) => timeOf(left) - timeOf(right));
    rmSync(oldest, { recursive: true, force: true });
    renameSync(making, oldest);
    return oldest;
  } finally {
    release();
  }
}

function buildsOf(root: string): string {
  return join(root, ".build");
}

function slotsOf(root: string): readonly string[] {
  return slots.map((name) => join(buildsOf(root), name));
}

/** Waits until no other process bundles. */
async function claimed(builds: string): Promise<() => void> {
  for (const until = Date.now() + maxWaitMs; Date.now() < until;) {
    const { release } = claim(builds, "lock");
    if (release !== undefined) return release;
    await setTimeout(pauseMs * (0.5 + Math.random()));
  }
  throw new Error(`another process holds ${join(builds, "lock.*")} for too long`);
}

function stampOf(slot: string): string | undefined {
  try {
    return readFileSync(join(slot, stampFile), "utf8");
  } catch {
    return undefined;
  }
}

/** Returns the time at which a slot was filled; 0 if it is empty. */
function timeOf(slot: string): number {
  return statSync(join(slot, stampFile), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
