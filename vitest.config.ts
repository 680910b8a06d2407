import { configDefaults, defineConfig } from "vitest/config";

/** Tests of what exists once per process, such as the registry of metrics. Each file has a separate process. */
const isolatedTests = [
  "deploy/{helm/test/objects,k8s/test/autoscaling,monitoring/test/monitoring}.test.ts",
  "docs/test/{blocks,drift}.test.ts",
  "libs/{providers/test/cloud-identities,testkit/test/warm}.test.ts",
  "services/gateway/test/toy-wires.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: "./libs/testkit/src/end-of-run.ts",
    projects: [
      { extends: true, test: { name: "isolated", include: isolatedTests } },
      // The files of a worker share the loaded modules: loading them was a third of what a file cost.
      {
        extends: true,
        test: { name: "shared", isolate: false, exclude: [...configDefaults.exclude, ...isolatedTests] },
      },
    ],
    // More workers than the two cores of CI, because tests of whole services often wait.
    maxWorkers: 3,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } }, // a second is little for a busy machine
    env: { TESTCONTAINERS_RYUK_DISABLED: "true", TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1" },
  },
});
