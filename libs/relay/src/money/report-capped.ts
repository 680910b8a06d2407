import type { UnitName, Units } from "@modelgate/contracts";
import { countCapped } from "@modelgate/channels";
import type { Logger, Redis, RequestIds } from "@modelgate/platform";
import { observeCapped } from "./call-metrics.ts";

/** A call that was billed for less than its vendor reported. */
export interface CappedCall extends RequestIds {
  readonly callId: string;
  readonly channel: string;
  readonly model: string;
  readonly capped: readonly UnitName[];
  readonly reported: Units;
}

/** Reports it against its channel: the operator pays what the vendor charges beyond what was billed. */
export function reportCapped({ log, redis }: { log: Logger; redis: Redis }, call: CappedCall): void {
  observeCapped(call);
  log.warn(call, "a vendor reported more than the call could use");
  countCapped(redis, call.channel).catch((error: unknown) =>
    log.warn(
      { err: error, requestId: call.requestId, traceId: call.traceId, callId: call.callId },
      "a capped call was not counted",
    ),
  );
}
