import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { claim, markUsed, userOf } from "./claim.mjs";
import { sourceStamp } from "./sources.ts";

/**
 * Minimum number of folders for bundles. They are reused, because Node's compile cache has entries by path and would
 * grow.
 */
const minSlots = 4;
/** File with the number and the source stamp of a bundle. */
const stampFile = "built-from";
/** Name of the files in a bundle's folder that mark it as used. Each process has its own file (`markUsed`). */
const useMark = "in-use";

/** Maximum wait in ms for the bundle of another process. */
const maxWaitMs = 200_000;
const pauseMs = 100;

/** Returns the folder with the bundle of the current sources, or undefined. */
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
 * Bundles the current sources and returns the folder. Waits for other processes first, and uses their bundle if it is
 * current.
 */
export async function buildCurrent(root: string, bundle: (folder: string) => Promise<void>): Promise<string> {
  const builds = buildsOf(root);
  mkdirSync(builds, { recursive: true });
  const release = await waitForLock(builds);
  try {
    const stamp = sourceStamp(root);
    const built = currentBuild(root, stamp);
    if (built !== undefined) return built;
    const [newBundle, oldBundle] = [join(builds, "making"), join(builds, "leaving")];
    for (const folder of [newBundle, oldBundle]) rmSync(folder, { recursive: true, force: true });
    await bundle(newBundle);
    const number = 1 + Math.max(0, ...slotsOf(root).map((slot) => infoOf(slot).number));
    writeFileSync(join(newBundle, stampFile), `${number} ${stamp}`);
    const slot = nextSlot(root);
    // The folders are renamed, so that a bundle is always complete or absent.
    if (existsSync(slot)) renameSync(slot, oldBundle);
    renameSync(newBundle, slot);
    rmSync(oldBundle, { recursive: true, force: true });
    return slot;
  } finally {
    release();
  }
}

/** Returns a folder for the next bundle: that of an old unused bundle, or a new one. */
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

/** Waits until no other process bundles. Returns the function that unlocks. */
async function waitForLock(builds: string): Promise<() => void> {
  for (const until = Date.now() + maxWaitMs; Date.now() < until;) {
    const { release } = claim(builds, "lock");
    if (release !== undefined) return release;
    await setTimeout(pauseMs * (0.5 + Math.random()));
  }
  throw new Error(`another process holds ${join(builds, "lock.*")} for too long`);
}

/** Returns the number of a bundle and its source stamp. New bundles have higher numbers. */
function infoOf(slot: string): { readonly number: number; readonly stamp?: string | undefined } {
  try {
    const [number, stamp] = readFileSync(join(slot, stampFile), "utf8").split(" ");
    return { number: Number(number) || 0, stamp };
  } catch {
    return { number: 0 };
  }
}
