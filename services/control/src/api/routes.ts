import type { CatalogHandle } from "@modelgate/catalog";
import type { Transport } from "@modelgate/channels";
import type { OperatorRoutes, Redis } from "@modelgate/platform";
import type { ConfigurationBooks } from "../configuration/books-source.ts";
import type { Follower } from "../configuration/follow.ts";
import { namedVariables } from "../configuration/names.ts";
import { sessionRoutes, type SessionRouteDeps } from "../console/session-routes.ts";
import type { Ledger } from "../ledger.ts";
import { openApiOfControl } from "../openapi/document.ts";
import { guarded } from "../openapi/guard.ts";
import { operations } from "../openapi/operations/index.ts";
import { peopleRoutes } from "../operators/routes.ts";
import { vendorRoutes } from "../vendors/routes.ts";
import { accountRoutes } from "./accounts.ts";
import { billRoutes } from "./bill.ts";
import { bookRoutes } from "./books.ts";
import { channelRoutes } from "./channels.ts";
import { configurationRoutes } from "./configuration.ts";
import { modelRoutes } from "./models.ts";
import { priceRoutes } from "./prices.ts";
import { tokenRoutes } from "./tokens.ts";

/** What control's API works with. */
export interface ApiDeps extends SessionRouteDeps {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly catalog: CatalogHandle;
  readonly transport: Transport;
  readonly follower: Follower;
  readonly books: ConfigurationBooks;
  /** The configuration's file; absent: it is in the books. */
  readonly configurationPath: string | undefined;
  readonly edgeUrl: string | undefined;
}

/** Every route of control's API, guarded by its row in the table of operations. */
export function apiRoutes(deps: ApiDeps): OperatorRoutes {
  const { redis, ledger, catalog, transport, follower, books, configurationPath: path, edgeUrl } = deps;
  const routes = {
    ...sessionRoutes(deps),
    ...peopleRoutes({ redis, people: deps.people, sessions: deps.sessions }),
    ...accountRoutes(redis, ledger),
    ...tokenRoutes(redis, ledger),
    ...channelRoutes({ redis, catalog, transport }),
    ...bookRoutes(ledger),
    ...priceRoutes(redis),
    ...modelRoutes(redis),
    ...billRoutes(redis),
    ...configurationRoutes({ follower, path, books, names: namedVariables() }),
    ...vendorRoutes(transport),
    "GET /config": async () => ({ ...follower.status, edgeUrl: edgeUrl ?? null }),
    "GET /openapi.json": async () => openApiOfControl(),
  };
  return guarded(routes, operations);
}
