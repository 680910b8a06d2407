import type { Channels } from "@modelgate/channels";
import type { Catalog, CatalogHandle } from "@modelgate/catalog";
import type { BufferBudget, BoundedMap, Logger, Redis } from "@modelgate/platform";
import type { RelayLimits } from "./env.ts";
import type { DetachedAnswers } from "./detached-answers.ts";
import type { Renewals, Settlements } from "./money/settlements.ts";
import type { CreatedIds } from "./vendor-stores/created-ids.ts";

/** Dependencies of calls, opened once per service. */
export interface RelayDeps {
  readonly redis: Redis;
  readonly catalog: CatalogHandle;
  readonly channels: Channels;
  readonly settlements: Settlements;
  readonly renewals: Renewals;
  /**
   * Models whose vendors bill output that their streams do not show, such as reasoning. Money is held for the maximum
   * cost of such a stream. This process learns the models from the vendors' reports.
   */
  readonly modelsWithHiddenOutput: BoundedMap<true>;
  readonly createdIds: CreatedIds;
  readonly detachedAnswers: DetachedAnswers;
  readonly budget: BufferBudget;
  readonly log: Logger;
  readonly newCallId: () => string;
  readonly limits: RelayLimits;
}

/** Dependencies of one call. */
export interface CallDeps extends Omit<RelayDeps, "catalog" | "channels" | "createdIds"> {
  readonly catalog: { current(): Pick<Catalog, "candidates" | "fallbacksOf" | "group" | "resolve"> };
  readonly channels: Pick<Channels, "affinity" | "attempts" | "transport">;
}

/** Dependencies of a call after its money is held. */
export type RunDeps = Omit<CallDeps, "newCallId" | "redis" | "renewals" | "settlements">;
