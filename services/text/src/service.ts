import { defineService, serveArea, type UpgradeCall } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { BackgroundRuns, openResponses, ResponseSockets } from "./responses/index.ts";
import { routes } from "./routes.ts";

export const service = defineService("area", variables, async (context) => {
  const { env, log, metrics } = context;
  const deps = await openResponses(context, await openDeps(context));
  const sockets = new ResponseSockets(deps, metrics);
  const background = new BackgroundRuns(deps, metrics);
  const upgrades = { connectResponses: (call: UpgradeCall) => sockets.begin(call) };
  return {
    serves: serveArea({
      area: "text",
      secrets: env.relay.secrets,
      log,
      refused: deps.refused,
      handlers: routes(deps, background),
      upgrades,
    }),
    drain: async () => void (await Promise.all([sockets.drain(), background.drain()])),
    close() {
      sockets[Symbol.dispose]();
      background[Symbol.dispose]();
    },
    ready: () => deps.ready(),
  };
});
