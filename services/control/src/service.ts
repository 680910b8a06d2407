import { authoriseBySecret, defineService, operatorHandler } from "@modelgate/platform";
import { authoriseBySession } from "./console/authorise.ts";
import { withoutCaching, withPages } from "./console/pages.ts";
import { openDeps } from "./deps.ts";
import { variables } from "./env.ts";
import { withProvider } from "./operators/provider.ts";
import { routes } from "./routes.ts";

/** Control service: configuration, accounts, API keys and console. */
export const service = defineService("backend", variables, async (context) => {
  const { env, log } = context;
  const deps = await openDeps(context);
  const authorise = authoriseBySession(deps, authoriseBySecret(env.secrets));
  const api = withoutCaching(withProvider(operatorHandler(routes(deps), authorise, log), deps.provider));
  return {
    serves: { handler: withPages(api, env.edgeUrl) },
    ready: () => deps.ready(),
    close: () => deps[Symbol.asyncDispose](),
  };
});
