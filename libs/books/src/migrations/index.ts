import type { Kysely } from "kysely";
import { calls } from "./0001-calls.ts";
import { labels } from "./0002-labels.ts";
import { failedCalls } from "./0003-failed-calls.ts";
import { accounts } from "./0010-accounts.ts";
import { operators } from "./0011-operators.ts";
import { callIds } from "./0012-call-ids.ts";
import { taskRecords } from "./0013-task-records.ts";
import { firstBytes } from "./0014-first-bytes.ts";
import { dailyFirstBytes } from "./0015-daily-first-bytes.ts";
import { dailyTags } from "./0016-daily-tags.ts";
import { anchors } from "./0017-anchors.ts";
import { totalsOfAccounts } from "./0018-totals-of-accounts.ts";
import { refusedCalls } from "./0019-refused-calls.ts";
import { replacedKeys } from "./0020-replaced-keys.ts";
import { budgets } from "./0021-budgets.ts";
import { organisations } from "./0022-organisations.ts";
import { alerts } from "./0023-alerts.ts";
import { accountState } from "./0024-account-state.ts";
import { formerReceipts } from "./0025-former-receipts.ts";
import { cooldownAlerts } from "./0026-cooldown-alerts.ts";
import { deletedTasks } from "./0027-deleted-tasks.ts";
import { callIdsByTime } from "./0028-call-ids-by-time.ts";
import type { MigrationTools } from "./tables.ts";

/** A change of the schema. It cannot be reverted. */
export interface Migration {
  readonly up: (db: Kysely<unknown>, tools: MigrationTools) => Promise<void>;
}

/** Migrations in the order in which they run. A released migration is never changed. */
export const migrations: Readonly<Record<string, Migration>> = {
  "0001-calls": calls,
  "0002-labels": labels,
  "0003-failed-calls": failedCalls,
  "0010-accounts": accounts,
  "0011-operators": operators,
  "0012-call-ids": callIds,
  "0013-task-records": taskRecords,
  "0014-first-bytes": firstBytes,
  "0015-daily-first-bytes": dailyFirstBytes,
  "0016-daily-tags": dailyTags,
  "0017-anchors": anchors,
  "0018-totals-of-accounts": totalsOfAccounts,
  "0019-refused-calls": refusedCalls,
  "0020-replaced-keys": replacedKeys,
  "0021-budgets": budgets,
  "0022-organisations": organisations,
  "0023-alerts": alerts,
  "0024-account-state": accountState,
  "0025-former-receipts": formerReceipts,
  "0026-cooldown-alerts": cooldownAlerts,
  "0027-deleted-tasks": deletedTasks,
  "0028-call-ids-by-time": callIdsByTime,
};
