import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { localRelease } from "../helm/generate/chart.ts";
import { runSteps, shellLine } from "./run.ts";
import { stepsOf } from "./steps.ts";

/**
 * Makes a release from the root of the repository, for example with `--registry ghcr.io/acme --tag v0.1.0`. The tag
 * must be the version in package.json. `--dry-run` only prints the commands.
 */
try {
  const { values } = parseArgs({
    options: {
      registry: { type: "string" },
      tag: { type: "string" },
      out: { type: "string", default: "dist" },
      "dry-run": { type: "boolean", default: false },
    },
  });
  const { version } = localRelease();
  const { registry, tag, out: folder } = values;
  if (registry === undefined || !/^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*$/.test(registry))
    throw new Error("--registry must be a registry and a path in lower case, for example ghcr.io/acme");
  if (tag !== `v${version}`)
    throw new Error(`--tag is ${tag ?? "missing"}, but package.json says ${version}: the tag must be v${version}`);
  const steps = stepsOf({ version, registry, folder, images: ["gateway", "simulator"] });
  if (values["dry-run"]) {
    for (const { what, command } of steps) process.stdout.write(`# ${what}\n${shellLine(command)}\n`);
  } else {
    for (const name of ["digests", "sbom", "chart"]) mkdirSync(join(folder, name), { recursive: true });
    runSteps(steps, (line) => process.stdout.write(`${line}\n`));
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
