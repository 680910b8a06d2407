import type { OperatorRoutes } from "@modelgate/platform";
import { accountRoutes } from "./api/accounts.ts";
import { callRoutes } from "./api/calls.ts";
import { operatorRoutes } from "./api/operators.ts";
import { totalsRoutes } from "./api/totals.ts";
import { verificationRoutes } from "./api/verification.ts";
import type { Deps } from "./deps.ts";

/** What the ledger answers to control. */
export function routes({ redis, connection, keepDays }: Deps): OperatorRoutes {
  return {
    ...accountRoutes({ redis, connection }),
    ...operatorRoutes(connection),
    ...totalsRoutes(connection),
    ...callRoutes(connection),
    ...verificationRoutes({ redis, connection, keepDays }),
  };
}
