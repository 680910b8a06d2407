import type { CallStatus, UnitName, Units } from "@modelgate/contracts";
import type { Route, AttemptReport } from "@modelgate/channels";
import type { UsageBound } from "./money/measure.ts";

/** Course of a call that is billed: its attempts and its result so far. Times are from `performance.now()`. */
export interface Outcome {
  readonly route: Route | undefined;
  readonly tried: readonly AttemptReport[];
  /** Start of the call, if its money was held earlier. */
  readonly startedAt?: number | undefined;
  /** Time of the vendor's first byte. */
  readonly firstByteAt?: number | undefined;
  /** Unsupported fields of the request that were left out. */
  readonly dropped?: readonly string[] | undefined;
  readonly units: Units;
  /** True if the units are an estimate, because the vendor did not report them. */
  readonly estimated: boolean;
  /** `outcome` of the usage event. */
  readonly callStatus: CallStatus;
  /** HTTP status of the response to the client; 0 without a response. */
  readonly status: number;
  /** Maximum usage to bill, if it differs from the expected one. */
  readonly bound?: UsageBound | undefined;
  readonly capped?: readonly UnitName[] | undefined;
  readonly error?: string | undefined;
}

/** Outcome of a call that was not sent. */
export const notSent: Outcome = {
  route: undefined,
  tried: [],
  units: {},
  estimated: false,
  callStatus: "failed",
  status: 0,
};
