import type { Channels } from "@modelgate/channels";
import type { CatalogHandle } from "@modelgate/catalog";
import type { BufferBudget, Logger, Redis } from "@modelgate/platform";
import type { RelayLimits } from "./env.ts";
import type { HeardOut } from "./call/heard-out.ts";
import type { Renewals } from "./money/renewals.ts";
import type { Settlements } from "./money/settlements.ts";
import type { MadeIds } from "./vendor-stores/made-ids.ts";
import type { UnseenOutput } from "./money/unseen-output.ts";

/** What calls are run with; opened once, handed down. */
export interface RelayDeps {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly channels: Channels;
  readonly settlements: Settlements;
  readonly renewals: Renewals;
  readonly unseen: UnseenOutput;
  readonly madeIds: MadeIds;
  readonly heardOut: HeardOut;
  readonly budget: BufferBudget;
  readonly log: Logger;
  readonly newCallId: () => string;
  readonly limits: RelayLimits;
}
