import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Claims a folder for this process under a name. Returns the claim, or the id of a running process that has claimed the
 * folder. Every process creates its own file, and has the claim if it then sees no other process's file. Two processes
 * that start together may both be refused; they should retry after different pauses.
 */
export function claim(folder, name) {
  const mine = ownFile(name);
  const before = otherHolder(folder, name, mine);
  if (before !== undefined) return { heldBy: before };
  const file = join(folder, mine);
  writeFileSync(file, "");
  const heldBy = otherHolder(folder, name, mine);
  if (heldBy === undefined) return { release: () => rmSync(file, { force: true }) };
  rmSync(file, { force: true });
  return { heldBy };
}

/** Marks a folder as used by this process, under a name. */
export function markUsed(folder, name) {
  const mine = ownFile(name);
  otherHolder(folder, name, mine); // deletes files of ended processes
  writeFileSync(join(folder, mine), "");
}

/** Returns the id of another running process that has marked a folder under a name; undefined if there is none. */
export function userOf(folder, name) {
  return otherHolder(folder, name);
}

function ownFile(name) {
  return `${name}.${process.pid}-${startTimeOf(process.pid) ?? 0}`;
}

/** Returns the id of another running process with a file in the folder. Deletes files of ended processes. */
function otherHolder(folder, name, mine) {
  let holder;
  for (const file of readdirSync(folder)) {
    const [, called, pid, began] = /^(.+)\.(\d+)-(\d+)$/.exec(file) ?? [];
    if (called !== name || file === mine) continue;
    // The id alone is not enough, because another process may have it later.
    if (String(startTimeOf(Number(pid))) === began) holder = Number(pid);
    else rmSync(join(folder, file), { force: true });
  }
  return holder;
}

/** Returns the start time of a process, only for comparison; undefined if it does not run. */
function startTimeOf(pid) {
  if (process.platform === "linux") {
    try {
      // The name ends at the last bracket. The state follows and, 19 fields later, the start time.
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
      return fields[0] === "Z" ? undefined : Number(fields[19]);
    } catch {
      return undefined;
    }
  }
  const { stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
  });
  const began = Date.parse(`${stdout ?? ""} UTC`);
  return Number.isNaN(began) ? undefined : began;
}
