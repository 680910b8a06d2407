import { readdirSync, existsSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** One project per package, named after it, all with the settings below. */
const packages = ["libs", "services"].flatMap((kind) =>
  readdirSync(kind).map((name) => ({ name, root: `${kind}/${name}` })),
);
const projects = [...packages, { name: "deploy", root: "deploy" }].filter(({ root }) =>
  existsSync(`${root}/package.json`),
);

export default defineConfig({
  test: {
    projects: projects.map(({ name, root }) => ({ extends: true, test: { name: `@modelgate/${name}`, root } })),
    // Two cores, and each suite brings processes of its own.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: { TESTCONTAINERS_RYUK_DISABLED: "true", TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1" },
  },
});
