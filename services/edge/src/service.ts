import { defineService } from "@modelgate/platform";
import { createApp } from "./app.ts";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";

/** The edge service, which clients call. */
export const service = defineService("edge", variables, async (context) => {
  const deps = await openDeps(context);
  context.ending.addEventListener("abort", () => deps.proxy.end(context.drainErrorMs / 2));
  return {
    serves: createApp(deps),
    drain: async () => {
      deps.proxy.isDraining = true;
    },
    ready: () => deps.ready(),
    close: () => deps[Symbol.asyncDispose](),
  };
});
