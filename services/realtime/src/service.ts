import { defineService, serveArea, type UpgradeCall } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";
import { gptLiveFormat, geminiLiveFormat } from "./session-format.ts";
import { RealtimeSessions } from "./sessions.ts";

/** Service of the realtime area: WebSocket sessions, and client secrets for them. */
export const service = defineService("area", variables, async (context) => {
  const { env, log, metrics } = context;
  const deps = await openDeps(context);
  const sessions = new RealtimeSessions(deps, metrics);
  const handlers = routes(deps);
  const upgrades = {
    realtime: (call: UpgradeCall) => sessions.begin(call),
    geminiLive: (call: UpgradeCall) => sessions.beginWithSetup(call, geminiLiveFormat),
    gptLive: (call: UpgradeCall) => sessions.beginWithSetup(call, gptLiveFormat),
  };
  return {
    serves: serveArea({ area: "realtime", secrets: env.relay.secrets, log, refused: deps.refused, handlers, upgrades }),
    drain: () => sessions.drain(),
    ready: () => deps.ready(),
    close: () => sessions[Symbol.dispose](),
  };
});
