import { areaHandler, areaUpgrade, runService, secretsOf } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { refusePlain } from "./routes/realtime.ts";
import { Sessions } from "./sessions.ts";

await runService(
  "realtime",
  variables,
  (env) => ({
    host: env.HOST,
    port: env.REALTIME_PORT,
    opsPort: env.REALTIME_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: env.DRAIN_MS,
  }),
  async ({ env, log, metrics }) => {
    const deps = await openDeps(env, log);
    const sessions = new Sessions(deps, metrics);
    const area = { area: "realtime", secrets: secretsOf(env), log } as const;
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
  },
);
