import type { OperatorRoutes } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { alertRoutes } from "./api/alerts.ts";
import { budgetRoutes } from "./api/budgets.ts";
import { callRoutes } from "./api/calls.ts";
import { firstByteRoutes } from "./api/first-bytes.ts";
import { operatorRoutes } from "./api/operators.ts";
import { organisationRoutes } from "./api/organisations.ts";
import { refusedRoutes } from "./api/refused.ts";
import { reportRoutes } from "./api/reports.ts";
import { storeRoutes } from "./api/stores.ts";
import { taskRoutes } from "./api/tasks.ts";
import { tokenRoutes } from "./api/tokens.ts";
import { totalsRoutes } from "./api/totals.ts";
import { verificationRoutes } from "./api/verification.ts";
import type { Deps } from "./deps.ts";

/** Returns the routes of the ledger. */
export function routes({ redis, bus, connection, signer, sender }: Deps): OperatorRoutes {
  return {
    ...accountRoutes({ redis, connection }),
    ...tokenRoutes({ redis, connection }),
    ...budgetRoutes({ redis, bus, connection }),
    ...alertRoutes({ connection, sender }),
    ...operatorRoutes(connection),
    ...organisationRoutes(connection, (books) => ({ redis, bus, books })),
    ...totalsRoutes(connection),
    ...reportRoutes(connection),
    ...callRoutes(connection),
    ...refusedRoutes(connection),
    ...firstByteRoutes(connection),
    ...taskRoutes(connection),
    ...storeRoutes({ redis, bus, connection }),
    ...verificationRoutes({ redis, connection, signer }),
  };
}
