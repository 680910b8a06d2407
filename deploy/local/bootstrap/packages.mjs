import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./places.mjs";
import { run } from "./run.mjs";
import { printProgress } from "./progress.mjs";

const stamp = join(root, "node_modules/.bootstrap-stamp");

/** Installs packages if anything has changed since the last complete install. */
export async function installPackages(node, pnpm) {
  const expected = digest(node);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === expected) return;
  // Without the stamp, the next start installs again after an interruption.
  rmSync(stamp, { force: true });
  printProgress("installing packages");
  await run(pnpm, ["install", "--frozen-lockfile", "--prefer-offline"], "The packages could not be installed:", {
    env: { ...process.env, CI: "true", PATH: `${dirname(node)}:${process.env.PATH ?? ""}` },
  });
  writeFileSync(stamp, expected);
}

function digest(node) {
  const hash = createHash("sha256").update(node);
  const manifests = ["libs", "services"].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => `${kind}/${name}/package.json`),
  );
  for (const file of [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "package.json",
    "deploy/package.json",
    "deploy/build/package.json",
    "e2e/package.json",
    "e2e/simulator/package.json",
    "docs/package.json",
    ...manifests.sort(),
  ]) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}
