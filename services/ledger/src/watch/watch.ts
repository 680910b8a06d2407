import type { Bus, Logger, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { createBalanceCheck, type BalanceCheckDeps } from "./balances.ts";
import { repeatPeriodically } from "./every.ts";
import { removeRedisMetrics, removeStreamMetrics, updateRedisMetrics, updateStreamMetrics } from "./stores.ts";
import { roundsPerPeriod, createVerificationStep, type VerificationOptions } from "./verify-accounts.ts";
import { lowAccounts } from "./watch-metrics.ts";

/** Dependencies and intervals of the watches. */
export interface WatchOptions
  extends Pick<VerificationOptions, "verify" | "mayVerify">, Pick<BalanceCheckDeps, "onLow"> {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: Pick<BooksConnection, "useDuringMove">;
  readonly log: Logger;
  readonly everyMs: number;
  /** Period in ms in which every account is verified; 0 for never. */
  readonly verifyEveryMs: number;
  readonly lowHours: number;
}

/** Updates metrics and verifies accounts periodically. */
export function startWatching(options: WatchOptions): AsyncDisposable {
  const { redis, bus, log, everyMs, verifyEveryMs } = options;
  const watches = new AsyncDisposableStack();
  watches.use(
    repeatPeriodically({
      name: "the check of Redis",
      everyMs,
      log,
      step: () => updateRedisMetrics(redis),
      onFailure: removeRedisMetrics,
    }),
  );
  watches.use(
    repeatPeriodically({
      name: "the check of the streams",
      everyMs,
      log,
      step: () => updateStreamMetrics(bus),
      onFailure: removeStreamMetrics,
    }),
  );
  watches.use(
    repeatPeriodically({
      name: "the check of balances",
      everyMs,
      log,
      step: createBalanceCheck(options),
      onFailure: () => lowAccounts.remove(),
    }),
  );
  if (verifyEveryMs > 0)
    watches.use(
      repeatPeriodically({
        name: "verification",
        everyMs: Math.max(1, Math.floor(verifyEveryMs / roundsPerPeriod)),
        log,
        step: createVerificationStep({ ...options, everyMs: verifyEveryMs }),
      }),
    );
  return watches;
}
