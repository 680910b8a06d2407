import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { platform, tools, versions } from "./places.mjs";
import { ask, isExecutable, onPath, run } from "./run.mjs";
import { printProgress } from "./progress.mjs";

/**
 * Returns the path of Node 24 or later: the running one, the one on PATH, or one that is downloaded from npm to
 * `.tools`.
 */
export async function findNode() {
  if (isEnough(process.version)) return process.execPath;
  const installed = onPath("node");
  if (installed !== undefined && isEnough((await ask(installed, ["--version"])) ?? "")) return installed;
  const folder = await fetchPackage(
    `node-${versions.node}`,
    `node-${platform}@${versions.node}`,
    `Node ${versions.nodeMajor}`,
  );
  return join(folder, "node_modules", `node-${platform}`, "bin", "node");
}

function isEnough(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1]) >= versions.nodeMajor;
}

/** Finds pnpm: one on PATH, or a native one from npm in `.tools`. */
export async function findPnpm() {
  const installed = onPath("pnpm");
  if (installed !== undefined && (await ask(installed, ["--version"]))?.startsWith(`${versions.pnpmMajor}.`))
    return installed;
  const folder = await fetchPackage(`pnpm-${versions.pnpm}`, `pnpm@${versions.pnpm}`, "pnpm");
  const native = join(folder, "node_modules/@pnpm", `exe.${platform}`, "pnpm");
  if (isExecutable(native)) return native;
  throw new Error(`pnpm has no program for ${platform}: install pnpm ${versions.pnpmMajor} and try again.`);
}

/**
 * Downloads a package from npm into a temporary folder and moves it, so that an interruption leaves nothing incomplete.
 */
async function fetchPackage(name, specifier, what) {
  const folder = join(tools, name);
  if (existsSync(folder)) return folder;
  for (const stale of readdirSync(tools).filter((entry) => entry.startsWith(`${name}.`)))
    rmSync(join(tools, stale), { recursive: true, force: true });
  printProgress(`getting ${what} (once)`);
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  await run(
    "npm",
    [
      "install",
      "--ignore-scripts",
      "--no-save",
      "--no-package-lock",
      "--loglevel=error",
      "--prefix",
      making,
      specifier,
    ],
    `${what} could not be downloaded from npm: install it yourself (Node ${versions.nodeMajor} and pnpm ${versions.pnpmMajor} on PATH are used) and try again.`,
  );
  renameSync(making, folder);
  return folder;
}
