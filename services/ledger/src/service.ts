import { authoriseBySecret, defineService, operatorHandler } from "@modelgate/platform";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { routes } from "./routes.ts";

/** Ledger service, which writes the books. */
export const service = defineService("backend", variables, async (context) => {
  const { env, log } = context;
  const deps = await openDeps(context);
  return {
    serves: { handler: operatorHandler(routes(deps), authoriseBySecret(env.secrets), log) },
    ready: () => deps.ready(),
    close: () => deps[Symbol.asyncDispose](),
  };
});
