import { areaHandler, runService, secretsOf } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { pollMetrics } from "./poll/poll-metrics.ts";
import { openPoller } from "./poll/poller.ts";
import { routes } from "./routes.ts";

await runService(
  "video",
  variables,
  (env) => ({
    host: env.HOST,
    port: env.VIDEO_PORT,
    opsPort: env.VIDEO_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: env.DRAIN_MS,
  }),
  async ({ env, log, metrics }) => {
    const deps = await openDeps(env, log);
    const poller = openPoller(deps, pollMetrics(deps.relay.redis, metrics));
    return {
      handler: areaHandler({ area: "video", secrets: secretsOf(env), log, handlers: routes(deps) }),
      ready: deps.ready,
      async [Symbol.asyncDispose]() {
        await poller[Symbol.asyncDispose]();
        await deps[Symbol.asyncDispose]();
      },
    };
  },
);
