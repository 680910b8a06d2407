import { defineService } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";

/** The door for clients. */
export const service = defineService("door", variables, async (context) => {
  const deps = await openDeps(context);
  return {
    serves: routes(deps),
    drain: () => deps.forward.drain(context.drainMs),
    ready: () => deps.ready(),
    close: () => deps[Symbol.asyncDispose](),
  };
});
