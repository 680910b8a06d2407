import { defineService, serveArea } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { pollMetrics, openPoller } from "./poll/poller.ts";
import { routes } from "./routes.ts";

/** Service of the video area: its endpoints, and the poller of tasks. */
export const service = defineService("area", variables, async (context) => {
  const { env, log, metrics } = context;
  const deps = await openDeps(context);
  const poller = openPoller(deps, pollMetrics(deps.relay.redis, metrics));
  return {
    serves: serveArea({
      area: "video",
      secrets: env.relay.secrets,
      log,
      refused: deps.refused,
      handlers: routes(deps),
    }),
    ready: () => deps.ready(),
    async close() {
      await poller[Symbol.asyncDispose]();
      await deps[Symbol.asyncDispose]();
    },
  };
});
