import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Claims a folder for this process under a name; gives the claim, or the id of a living process that has one.
 *
 * Every process puts a file of its own there, named after itself, and has the claim when it then sees no other's. So
 * no two ever hold it, and a file whose process is gone may be deleted by anybody at any time: no other process will
 * ever have that name. Two that come at the same moment may both be refused: try again after a while that differs.
 */
export function claim(folder, name) {
  const mine = `${name}.${process.pid}-${beginningOf(process.pid) ?? 0}`;
  const before = otherHolder(folder, name, mine);
  if (before !== undefined) return { heldBy: before };
  const file = join(folder, mine);
  writeFileSync(file, "");
  const heldBy = otherHolder(folder, name, mine);
  if (heldBy === undefined) return { release: () => rmSync(file, { force: true }) };
  rmSync(file, { force: true });
  return { heldBy };
}

/** The living process that has put its file there, but for us; files of those that are gone are swept away. */
function otherHolder(folder, name, mine) {
  for (const file of readdirSync(folder)) {
    const [, called, pid, began] = /^(.+)\.(\d+)-(\d+)$/.exec(file) ?? [];
    if (called !== name || file === mine) continue;
    // Its id alone says little: after a restart of the machine another process may have it.
    if (String(beginningOf(Number(pid))) === began) return Number(pid);
    rmSync(join(folder, file), { force: true });
  }
  return undefined;
}

/** When a process began, as a number that only comparison is good for; undefined where there is none, or it is dead. */
function beginningOf(pid) {
  if (process.platform === "linux") {
    try {
      // The name, which may contain anything, ends at the last bracket; the state and, 19 on, the start time follow.
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
