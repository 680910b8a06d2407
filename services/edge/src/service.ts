import { defineService } from "@modelgate/platform";
import { createApp } from "./app.ts";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";

/** The service that clients call. */
export const service = defineService("door", variables, async (context) => {
  const deps = await openDeps(context);
  context.ending.addEventListener("abort", () => deps.proxy.notifyGoing());
  return {
    serves: createApp(deps),
    drain: async () => deps.proxy.drain(),
    ready: () => deps.ready(),
    close: () => deps[Symbol.asyncDispose](),
  };
});
