import { areaHandler, areaUpgrade, runService } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { refusePlain } from "./routes/realtime.ts";
import { Sessions } from "./sessions.ts";

await runService(variables, async ({ env, drainMs, log, metrics }) => {
  const deps = await openDeps({ env, drainMs, log });
  const sessions = new Sessions(deps, metrics);
  const area = { area: "realtime", secrets: env.relay.secrets, log } as const;
  return {
    handler: areaHandler({ ...area, handlers: { realtime: refusePlain } }),
    upgrade: areaUpgrade({ ...area, handlers: { realtime: (call) => sessions.begin(call) } }),
    drain: () => sessions.drain(),
    ready: () => deps.ready(),
    async [Symbol.asyncDispose]() {
      sessions[Symbol.dispose]();
      await deps[Symbol.asyncDispose]();
    },
  };
});
