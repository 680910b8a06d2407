import { areaHandler, runService, secretsOf } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";

await runService(
  "media",
  variables,
  (env) => ({
    host: env.HOST,
    port: env.MEDIA_PORT,
    opsPort: env.MEDIA_OPS_PORT,
    logLevel: env.LOG_LEVEL,
    drainMs: env.DRAIN_MS,
  }),
  async ({ env, log }) => {
    const deps = await openDeps(env, log);
    return {
      handler: areaHandler({ area: "media", secrets: secretsOf(env), log, handlers: routes(deps) }),
      ready: () => deps.ready(),
      [Symbol.asyncDispose]: () => deps[Symbol.asyncDispose](),
    };
  },
);
