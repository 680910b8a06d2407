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

/**
 * Projects whose files each have a module graph of their own, since they change what a process has once: its registry of
 * metrics. In all others the files of a worker share one: loading modules was a third of what a file cost.
 */
const isolated: ReadonlySet<string> = new Set(["deploy"]);

/** Tests that add wires to the registries before a service is loaded. Each has its module graph, in a project. */
const toyTests = "**/toy-wires.test.ts";

export default defineConfig({
  test: {
    globalSetup: "./libs/testkit/src/end-of-run.ts",
    projects: [
      ...projects.map(({ name, root }) => ({
        extends: true as const,
        test: {
          name: `@modelgate/${name}`,
          root,
          isolate: isolated.has(name),
          exclude: [...configDefaults.exclude, toyTests, ...(name === "e2e" ? ["simulator/**"] : [])],
        },
      })),
      { extends: true, test: { name: "@modelgate/toys", root: "services", include: [toyTests], isolate: true } },
    ],
    // Two cores, and each suite brings processes of its own.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } }, // a second is little for a busy machine
    env: { TESTCONTAINERS_RYUK_DISABLED: "true", TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1" },
  },
});
