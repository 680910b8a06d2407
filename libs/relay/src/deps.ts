import type { Channels } from "@modelgate/channels";
import type { CatalogHandle } from "@modelgate/catalog";
import type { BufferBudget, Logger, Redis } from "@modelgate/platform";
import type { HeardOut } from "./call/heard-out.ts";
import type { Renewals } from "./money/renewals.ts";
import type { Settlements } from "./money/settlements.ts";
import type { MadeIds } from "./vendor-stores/made-ids.ts";
import type { UnseenOutput } from "./money/unseen-output.ts";

/** Every bound of a call's life; a service names them in its environment. */
export interface RelayLimits {
  /** Output tokens held for where neither the client nor the catalogue sets a bound. */
  readonly outputTokens: number;
  /** Output tokens of a text stream held for at first, and in each further step while it runs. */
  readonly stepTokens: number;
  /** Calls of vendor-side tools held for where the client sets no bound; vendors are told it where their wire has a word for it. */
  readonly toolCalls: number;
  /** Input tokens held for with each of those calls: what it finds is read by the model. */
  readonly toolTokens: number;
  /** Lease of a hold. */
  readonly leaseMs: number;
  /** Events that may wait in a shard's outbox before calls are refused. */
  readonly outboxBound: number;
  /** Silence after which a stream gets a sign of life. */
  readonly heartbeatMs: number;
  /** Largest answer that is not a stream. */
  readonly answerBytes: number;
}

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
