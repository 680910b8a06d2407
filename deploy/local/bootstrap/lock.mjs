import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tools } from "./places.mjs";
import { say } from "./say.mjs";

const file = join(tools, "lock");
const longestMs = 15 * 60_000;

/** Runs a step while no other bootstrap does; a lock whose process is gone counts for nothing. */
export async function locked(step) {
  mkdirSync(tools, { recursive: true });
  const until = Date.now() + longestMs;
  for (let said = false; !taken(); said = true) {
    if (!said) say("another preparation is under way; waiting for it");
    if (Date.now() > until)
      throw new Error(`Another preparation holds ${file} for too long: end it, or delete that file.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    return step();
  } finally {
    rmSync(file, { force: true });
  }
}

function taken() {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    if (holderLives()) return false;
    rmSync(file, { force: true });
    return taken();
  }
}

function holderLives() {
  try {
    process.kill(Number(readFileSync(file, "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
