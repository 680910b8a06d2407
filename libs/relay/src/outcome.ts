import type { CallStatus, UnitName, Units } from "@modelgate/contracts";
import type { Route, AttemptReport } from "@modelgate/channels";
import type { UsageBound } from "./money/measure.ts";

/**
 * Course of a call: its attempts, and the result that is billed. For a call that has not ended, it is the state to
 * record if the process dies. Times are from `performance.now()`.
 */
export interface Outcome {
  /** Route of the last attempt; undefined if there was none. */
  readonly route: Route | undefined;
  /** Attempts, in order. */
  readonly tried: readonly AttemptReport[];
  /** Start of the call; set if its money was held earlier, for example for the next request of a session. */
  readonly startedAt?: number | undefined;
  /** Time at which the vendor's first byte arrived; undefined if none arrived. */
  readonly firstByteAt?: number | undefined;
  /** Fields of the request that were left out because the vendor does not support them. */
  readonly dropped?: readonly string[] | undefined;
  readonly units: Units;
  /** True if the units are not from the vendor's report. */
  readonly estimated: boolean;
  readonly ended: CallStatus;
  /** HTTP status of the response to the client; 0 if there was none. */
  readonly status: number;
  /** Maximum usage to bill, if it is known only at the end; absent: the expected maximum. */
  readonly bound?: UsageBound | undefined;
  /** Units that were reduced to the maximum usage. */
  readonly capped?: readonly UnitName[] | undefined;
  /** Code of the failure, for the log. */
  readonly error?: string | undefined;
}

/** Outcome of a call that was not sent and has used nothing. */
export const notSent: Outcome = {
  route: undefined,
  tried: [],
  units: {},
  estimated: false,
  ended: "failed",
  status: 0,
};
