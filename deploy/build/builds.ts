import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { claim, markUsed, userOf } from "./claim.mjs";
import { sourceStamp } from "./sources.ts";

/**
 * Minimum number of folders for bundles. Their names are reused, so that Node's compile cache, which has entries by
 * path, does not grow.
 */
const minSlots = 4;
/** Name of the file with the bundle's number and the stamp of its sources, in the folder of a bundle. */
const stampFile = "built-from";
/** Name of the files by which processes mark a bundle that they use. */
const useMark = "in-use";

/** Maximum time to wait for the bundle of another process. */
const maxWaitMs = 200_000;
/** Pause between two attempts. */
const pauseMs = 100;

/** Returns the folder with the bundle of a checkout's present sources; undefined if there is none. */
export function currentBuild(root: string, stamp = sourceStamp(root)): string | undefined {
  return slotsOf(root).find((slot) => infoOf(slot).stamp === stamp);
}

/** Marks a bundle as used, so that it is not replaced while this process runs. */
export function markInUse(folder: string): void {
  try {
    markUsed(folder, useMark);
  } catch {
    // The folder is read-only or belongs to another user.
  }
}

/**
 * Bundles the present sources, into a new folder or in place of an old bundle. Returns the folder. If another process
 * is bundling, waits for it first, and bundles only if that bundle is not of the present sources.
 */
export async function buildCurrent(root: string, bundle: (folder: string) => Promise<void>): Promise<string> {
  const builds = buildsOf(root);
  mkdirSync(builds, { recursive: true });
  const release = await waitForLock(builds);
  try {
    const stamp = sourceStamp(root);
    const built = currentBuild(root, stamp);
    if (built !== undefined) return built;
    const [making, leaving] = [join(builds, "making"), join(builds, "leaving")];
    for (const left of [making, leaving]) rmSync(left, { recursive: true, force: true });
    await bundle(making);
    const number = 1 + Math.max(0, ...slotsOf(root).map((slot) => infoOf(slot).number));
    writeFileSync(join(making, stampFile), `${number} ${stamp}`);
    const slot = nextSlot(root);
    // Renamed first: a bundle is complete or does not exist.
    if (existsSync(slot)) renameSync(slot, leaving);
    renameSync(making, slot);
    rmSync(leaving, { recursive: true, force: true });
    return slot;
  } finally {
    release();
  }
}

/**
 * Returns the folder for the next bundle: that of an old bundle that no process uses; or a new folder, if there are
 * fewer than `minSlots` or the old bundles are in use.
 */
function nextSlot(root: string): string {
  const slots = slotsOf(root);
  const oldest = slots.toSorted((left, right) => infoOf(left).number - infoOf(right).number);
  const replaceable = oldest.slice(0, Math.max(0, slots.length - minSlots + 1));
  return replaceable.find((slot) => userOf(slot, useMark) === undefined) ?? freeName(buildsOf(root));
}

function freeName(builds: string): string {
  let name = 0;
  while (existsSync(join(builds, String(name)))) name++;
  return join(builds, String(name));
}

function buildsOf(root: string): string {
  return join(root, ".build");
}

function slotsOf(root: string): readonly string[] {
  if (!existsSync(buildsOf(root))) return [];
  return readdirSync(buildsOf(root))
    .filter((name) => /^\d+$/.test(name))
    .map((name) => join(buildsOf(root), name));
}

/** Waits until no other process bundles, and locks the bundles. Returns the function that unlocks them. */
async function waitForLock(builds: string): Promise<() => void> {
  for (const until = Date.now() + maxWaitMs; Date.now() < until;) {
    const { release } = claim(builds, "lock");
    if (release !== undefined) return release;
    await setTimeout(pauseMs * (0.5 + Math.random()));
  }
  throw new Error(`another process holds ${join(builds, "lock.*")} for too long`);
}

/** Returns the number of a bundle and the stamp of its sources. Each new bundle has a higher number. */
function infoOf(slot: string): { readonly number: number; readonly stamp?: string | undefined } {
  try {
    const [number, stamp] = readFileSync(join(slot, stampFile), "utf8").split(" ");
    return { number: Number(number) || 0, stamp };
  } catch {
    return { number: 0 };
  }
}
