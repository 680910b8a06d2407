import { runService } from "@modelgate/platform";
import { createApp } from "./app.ts";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";

await runService(
  "edge",
  variables,
  (env) => ({
    host: env.HOST,
    port: env.PORT,
    opsPort: env.EDGE_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: env.DRAIN_MS,
  }),
  async ({ env, log }) => {
    const deps = await openDeps(env, log);
    return {
      ...createApp(deps),
      drain: () => deps.forward.drain(env.DRAIN_MS),
      ready: deps.ready,
      [Symbol.asyncDispose]: () => deps[Symbol.asyncDispose](),
    };
  },
);
