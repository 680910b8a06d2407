import type { CallStatus, UnitName, Units } from "@modelgate/contracts";
import type { Route, Tried } from "@modelgate/channels";
import type { UsageBound } from "./money/measure.ts";

/**
 * Course of a call so far: its attempts, and its end as it is billed. Before a call has ended, it is what is recorded if
 * the process dies. Times are from `performance.now()`.
 */
export interface Outcome {
  /** Route of the last attempt; undefined if there was none. */
  readonly route: Route | undefined;
  /** Attempts, in order. */
  readonly tried: readonly Tried[];
  /** Start of the call, if its money was held earlier: a session holds money for later requests. */
  readonly startedAt?: number | undefined;
  /** Time of the vendor's first byte; undefined if none arrived. */
  readonly firstByteAt?: number | undefined;
  /** Fields of the request that the vendor does not support. */
  readonly dropped?: readonly string[] | undefined;
  readonly units: Units;
  /** True if the units are not the vendor's report. */
  readonly estimated: boolean;
  readonly ended: CallStatus;
  /** HTTP status of the client's response; 0 if there was none. */
  readonly status: number;
  /** Maximum usage, if it is known only at the end; absent: the maximum that was expected. */
  readonly most?: UsageBound | undefined;
  /** Units that were reduced to what the call could use. */
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
