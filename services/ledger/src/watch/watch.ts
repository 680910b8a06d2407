import type { Bus, Logger, Redis } from "@modelgate/platform";
import type { BooksConnection } from "../books-connection.ts";
import { balanceWatch } from "./balances.ts";
import { repeat } from "./every.ts";
import { forgetRedis, forgetStreams, watchRedis, watchStreams } from "./stores.ts";
import { roundsPerPeriod, verifyingStep, type VerifyingOptions } from "./verify-accounts.ts";
import { lowAccounts } from "./watch-metrics.ts";

/** Dependencies and interval of the watch. */
export interface WatchOptions extends Pick<VerifyingOptions, "verify" | "mayVerify"> {
  readonly redis: Redis;
  readonly bus: Bus;
  readonly connection: Pick<BooksConnection, "fill">;
  readonly log: Logger;
  readonly everyMs: number;
  /** 0: never. */
  readonly verifyEveryMs: number;
  readonly lowHours: number;
}

/** Updates the metrics that alerts use, and periodically verifies every account, until disposed. */
export function startWatching(options: WatchOptions): AsyncDisposable {
  const { redis, bus, log, everyMs, verifyEveryMs } = options;
  const watches = new AsyncDisposableStack();
  watches.use(repeat({ name: "a look at Redis", everyMs, log, step: () => watchRedis(redis), failed: forgetRedis }));
  watches.use(
    repeat({ name: "a look at the streams", everyMs, log, step: () => watchStreams(bus), failed: forgetStreams }),
  );
  watches.use(
    repeat({
      name: "a look at balances",
      everyMs,
      log,
      step: balanceWatch(options),
      failed: () => lowAccounts.remove(),
    }),
  );
  if (verifyEveryMs > 0)
    watches.use(
      repeat({
        name: "verification",
        everyMs: Math.max(1, Math.floor(verifyEveryMs / roundsPerPeriod)),
        log,
        step: verifyingStep({ ...options, everyMs: verifyEveryMs }),
      }),
    );
  return watches;
}
