import { defineConfig } from "vitest/config";

// One project per package, named after it. Two cores: few workers, each suite brings its own Redis and NATS.
export default defineConfig({
  test: {
    projects: ["libs/*", "services/*", "deploy"],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: { TESTCONTAINERS_RYUK_DISABLED: "true", TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1" },
  },
});
