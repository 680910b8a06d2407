import { areaHandler, runService } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { pollMetrics } from "./poll/poll-metrics.ts";
import { openPoller } from "./poll/poller.ts";
import { routes } from "./routes.ts";

await runService(variables, async ({ env, log, metrics }) => {
  const deps = await openDeps(env, log);
  const poller = openPoller(deps, pollMetrics(deps.relay.redis, metrics));
  return {
    handler: areaHandler({ area: "video", secrets: env.relay.secrets, log, handlers: routes(deps) }),
    ready: deps.ready,
    async [Symbol.asyncDispose]() {
      await poller[Symbol.asyncDispose]();
      await deps[Symbol.asyncDispose]();
    },
  };
});
