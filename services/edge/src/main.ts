import { runService } from "@modelgate/platform";
import { createApp } from "./app.ts";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";

await runService(variables, async ({ env, drainMs, log }) => {
  const deps = await openDeps(env, log);
  return {
    ...createApp(deps),
    drain: () => deps.forward.drain(drainMs),
    ready: deps.ready,
    [Symbol.asyncDispose]: () => deps[Symbol.asyncDispose](),
  };
});
