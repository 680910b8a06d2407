import { areaHandler, runService } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";

await runService(variables, async ({ env, log }) => {
  const deps = await openDeps(env, log);
  return {
    handler: areaHandler({ area: "text", secrets: env.relay.secrets, log, handlers: routes(deps) }),
    ready: deps.ready,
    [Symbol.asyncDispose]: () => deps[Symbol.asyncDispose](),
  };
});
