import { readFileSync } from "node:fs";
import { join } from "node:path";
import { programsOf, unpack } from "./debian.mjs";
import { ask, isExecutable, onPath } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/** Variable that names the browser; `none` for tests without one. */
const variable = "MODELGATE_CHROMIUM";
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chromium-headless-shell"];

/**
 * Finds the browser for tests: in the variable, on PATH, or from Debian's package in `.tools`. Without a browser, these
 * tests are skipped.
 */
export async function findChromium() {
  if (process.env[variable]) return {};
  const program = (await installed()) ?? (await unpacked());
  if (program !== undefined) return { [variable]: program };
  printProgress(`no browser: browser tests are skipped (install Chromium, or set ${variable} to one)`);
  return {};
}

/** Returns the first browser on PATH that runs. Some systems have a program that only explains the installation. */
async function installed() {
  for (const program of names.map(onPath).filter((found) => found !== undefined))
    if ((await ask(program, ["--version"])) !== undefined) return program;
  return undefined;
}

async function unpacked() {
  const program = join(programsOf("chromium"), "chromium");
  if (!isExecutable(program)) {
    // Distributions based on Debian name the package differently, or have none.
    if (!isDebian() || onPath("apt-get") === undefined || onPath("dpkg-deb") === undefined) return undefined;
    const startedAt = performance.now();
    await unpack("chromium");
    if (isExecutable(program))
      printProgress(`the browser took ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }
  return (await ask(program, ["--version"])) === undefined ? undefined : program;
}

function isDebian() {
  try {
    return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}
