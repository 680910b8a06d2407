import { clientAddress, StreamedAnswer, type OperatorCall, type OperatorRoutes } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { alertRoutes } from "./api/alerts.ts";
import { billRoutes } from "./api/bill.ts";
import { bookRoutes } from "./api/books.ts";
import { budgetRoutes } from "./api/budgets.ts";
import { channelRoutes } from "./api/channels.ts";
import { configurationRoutes } from "./api/configuration.ts";
import { modelRoutes, priceRoutes } from "./api/models.ts";
import { playgroundRoutes } from "./api/playground.ts";
import { systemRoutes } from "./api/system.ts";
import { tokenRotationRoutes } from "./api/token-rotation.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { environmentVariables } from "./configuration/resolve.ts";
import { sessionRoutes } from "./console/session-routes.ts";
import type { Deps } from "./deps.ts";
import { openApiOfControl } from "./openapi/document.ts";
import { guardRoutes } from "./openapi/guard.ts";
import { operations } from "./openapi/operations/index.ts";
import { findAccess } from "./organisations/access.ts";
import { memberRoutes } from "./organisations/members.ts";
import { organisationRoutes } from "./organisations/routes.ts";
import { peopleRoutes } from "./operators/routes.ts";
import { SignInLimits } from "./operators/sign-in-limits.ts";
import { vendorRoutes } from "./vendors/routes.ts";

/** Returns the routes of the operator API, with their guards. */
export function routes(deps: Deps): OperatorRoutes {
  const { redis, ledger, processes, catalog, transport, follower, books, sessions, people, cookies, env } = deps;
  const { path } = env.configuration;
  const internalAddresses = [...env.redis.url.split(","), env.ledgerUrl];
  const allowed = { ...env.configuration.allowed, internalAddresses };
  const environment = environmentVariables();
  const sessionDeps = {
    sessions,
    people,
    cookies,
    limits: new SignInLimits(redis),
    addressOf: ({ headers, address }: Pick<OperatorCall, "address" | "headers">) =>
      clientAddress({ headers, socket: { remoteAddress: address } }, env.proxies),
    hasProvider: deps.provider !== undefined,
    consoleUrl: env.consoleUrl,
  };
  const all = {
    ...sessionRoutes(sessionDeps),
    ...peopleRoutes({ redis, people, sessions }),
    ...organisationRoutes(ledger),
    ...memberRoutes({ redis, ledger, people, sessions, consoleUrl: env.consoleUrl }),
    ...accountRoutes(redis, ledger),
    ...tokenRoutes(redis, ledger),
    ...tokenRotationRoutes(redis, ledger),
    ...playgroundRoutes(redis, ledger),
    ...budgetRoutes(redis, ledger),
    ...alertRoutes({ redis, ledger, secrets: env.secrets, internalAddresses }),
    ...channelRoutes({ redis, ledger, catalog, transport }),
    ...bookRoutes(ledger),
    ...priceRoutes(redis),
    ...modelRoutes(redis),
    ...billRoutes(redis),
    ...systemRoutes(processes, ledger),
    ...configurationRoutes({ follower, path, allowed, books, environment }),
    ...vendorRoutes(transport, internalAddresses, follower),
    "GET /config": async () => ({ ...follower.status, edgeUrl: env.edgeUrl ?? null }),
    "GET /openapi.json": async () => new StreamedAnswer("application/json; charset=utf-8", openApiText()),
  };
  return guardRoutes(all, operations, (operator) => findAccess(ledger, operator));
}

/** Returns the OpenAPI document without the member `data` of other answers, because tools read the document itself. */
async function* openApiText(): AsyncGenerator<string> {
  yield JSON.stringify(openApiOfControl());
}
