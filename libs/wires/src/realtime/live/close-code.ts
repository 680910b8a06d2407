import type { Failure } from "@modelgate/contracts";

/** Codes with which a live vendor closes a session that failed (RFC 6455). */
const codes = { invalid: 1007, policy: 1008, broken: 1011 } as const;
const refused: ReadonlySet<number> = new Set([401, 402, 403]);

/** The code with which a live client's session is closed for a failure: its format has no error event. */
export function liveCloseCode({ status }: Failure): number {
  if (refused.has(status)) return codes.policy;
  return status >= 500 || status === 429 ? codes.broken : codes.invalid;
}

/** The message to a live client before its gateway goes, in the vendor's form. */
export function goAwayMessage(leftMs: number): object {
  return { goAway: { timeLeft: `${Math.round(leftMs / 1_000)}s` } };
}
