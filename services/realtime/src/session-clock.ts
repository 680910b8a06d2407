import { Failure } from "@modelgate/contracts";
import type { SessionLimits } from "./deps.ts";

/** Time limits of a session, ms. */
export type ClockLimits = Pick<SessionLimits, "idleMs" | "longestMs" | "firstEventMs">;

/** Clock of a session: when each side last sent something, and whether that is too long ago. */
export class SessionClock {
  readonly startedAt = Date.now();
  readonly #limits: ClockLimits;
  readonly #silenceMs: number;
  #spokeAt = this.startedAt;
  /** Time of the vendor's last message; 0: none yet. */
  #heardAt = 0;
  /** Since when the vendor is expected to speak: 0 while it owes nothing. */
  #expectedSince = 0;

  /** `silenceMs` is the longest silence of a vendor that owes the rest of an answer. */
  constructor(limits: ClockLimits, silenceMs: number) {
    this.#limits = limits;
    this.#silenceMs = silenceMs;
  }

  /** The client said something. */
  clientSpoke(): void {
    this.#spokeAt = Date.now();
  }

  /** The vendor said something, or could not be heard until now. */
  vendorSpoke(): void {
    this.#spokeAt = this.#heardAt = Date.now();
  }

  /** After every message: whether the vendor owes an answer. Its first one it owes to any message. */
  expects({ owed, sent }: { readonly owed: boolean; readonly sent: boolean }): void {
    const expected = this.#heardAt === 0 ? sent || this.#expectedSince > 0 : owed;
    if (!expected) this.#expectedSince = 0;
    else if (this.#expectedSince === 0) this.#expectedSince = Date.now();
  }

  /** Returns the failure of a session that has lasted too long or been silent for too long; undefined for any other. */
  expired(now: number): Failure | undefined {
    const { longestMs, idleMs } = this.#limits;
    if (now - this.startedAt > longestMs)
      return new Failure("session_expired", `A session lasts at most ${Math.round(longestMs / 1_000)} s.`);
    if (now - this.#spokeAt > idleMs)
      return new Failure("session_expired", `The session was silent for ${Math.round(idleMs / 1_000)} s.`);
    return undefined;
  }

  /** Returns true if the vendor owes an answer for too long: its first one, or the rest of one that it has begun. */
  isVendorSilent(now: number): boolean {
    if (this.#expectedSince === 0) return false;
    const withinMs = this.#heardAt === 0 ? this.#limits.firstEventMs : this.#silenceMs;
    return now - Math.max(this.#expectedSince, this.#heardAt) > withinMs;
  }
}
