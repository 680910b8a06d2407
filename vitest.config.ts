import { readdirSync, existsSync } from "node:fs";
import { configDefaults, defineConfig } from "vitest/config";

/** One project per package, named after it, all with the settings below. */
const packages = ["libs", "services"].flatMap((kind) =>
  readdirSync(kind).map((name) => ({ name, root: `${kind}/${name}` })),
);
const others = [
  { name: "deploy", root: "deploy" },
  { name: "e2e", root: "e2e" }, // the simulator in it is a package of its own
  { name: "docs", root: "docs" },
  { name: "simulator", root: "e2e/simulator" },
];
const projects = [...packages, ...others].filter(({ root }) => existsSync(`${root}/package.json`));

/** Packages whose tests keep no state in modules and start no processes: their files share one module graph. */
const pure: ReadonlySet<string> = new Set(["contracts", "wires", "providers"]);

export default defineConfig({
  test: {
    projects: projects.map(({ name, root }) => ({
      extends: true,
      test: {
        name: `@modelgate/${name}`,
        root,
        isolate: !pure.has(name),
        exclude: [...configDefaults.exclude, ...(name === "e2e" ? ["simulator/**"] : [])],
      },
    })),
    // Two cores, and each suite brings processes of its own.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { TESTCONTAINERS_RYUK_DISABLED: "true", TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1" },
  },
});
