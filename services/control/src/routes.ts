import type { OperatorRoutes } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { billRoutes } from "./api/bill.ts";
import { bookRoutes } from "./api/books.ts";
import { channelRoutes } from "./api/channels.ts";
import { modelRoutes } from "./api/models.ts";
import { priceRoutes } from "./api/prices.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { sessionRoutes } from "./console/session-routes.ts";
import type { Deps } from "./deps.ts";

/** The operator's API. */
export function routes({ redis, ledger, catalog, transport, follower, sessions, env }: Deps): OperatorRoutes {
  return {
    ...sessionRoutes(sessions, env.consoleUrl),
    ...accountRoutes(redis, ledger),
    ...tokenRoutes(redis, ledger),
    ...channelRoutes({ redis, catalog, transport }),
    ...bookRoutes(ledger),
    ...priceRoutes(redis),
    ...modelRoutes(redis),
    ...billRoutes(redis),
    "GET /config": async () => ({ ...follower.status, edgeUrl: env.edgeUrl ?? null }),
  };
}
