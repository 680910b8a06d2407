import { Failure } from "@modelgate/contracts";
import type { SessionLimits } from "./deps.ts";

/** Time limits of a session, in ms. */
export type ClockLimits = Pick<SessionLimits, "idleMs" | "longestMs" | "firstEventMs">;

/** Clock of a session: records when each side last sent a message, and checks the time limits. */
export class SessionClock {
  readonly startedAt = Date.now();
  readonly #limits: ClockLimits;
  readonly #silenceMs: number;
  /** Time of the last message of either side. */
  #lastMessageAt = this.startedAt;
  /** Time of the vendor's last message; 0 before the first one. */
  #vendorMessageAt = 0;
  /** Time since which output of the vendor is outstanding; 0 while it is not. */
  #outstandingSince = 0;

  /** `silenceMs` is the maximum silence of a vendor during an answer. */
  constructor(limits: ClockLimits, silenceMs: number) {
    this.#limits = limits;
    this.#silenceMs = silenceMs;
  }

  noteClientMessage(): void {
    this.#lastMessageAt = Date.now();
  }

  /** Notes that the vendor sent a message, or that reading from it resumed after a pause. */
  noteVendorMessage(): void {
    this.#lastMessageAt = this.#vendorMessageAt = Date.now();
  }

  /**
   * Notes whether output is outstanding. Before the vendor's first message, it is outstanding as soon as a message was
   * sent to the vendor.
   */
  noteOutstanding({ isOutstanding, isSent }: { readonly isOutstanding: boolean; readonly isSent: boolean }): void {
    const isExpected = this.#vendorMessageAt === 0 ? isSent || this.#outstandingSince > 0 : isOutstanding;
    if (!isExpected) this.#outstandingSince = 0;
    else if (this.#outstandingSince === 0) this.#outstandingSince = Date.now();
  }

  /** Returns the failure of a session that exceeded its maximum duration or silence. */
  expiryFailure(now: number): Failure | undefined {
    const { longestMs, idleMs } = this.#limits;
    if (now - this.startedAt > longestMs)
      return new Failure("session_expired", `A session lasts at most ${Math.round(longestMs / 1_000)} s.`);
    if (now - this.#lastMessageAt > idleMs)
      return new Failure("session_expired", `The session was silent for ${Math.round(idleMs / 1_000)} s.`);
    return undefined;
  }

  /** Returns true if output has been outstanding for too long: the vendor's first message, or the rest of an answer. */
  isVendorSilent(now: number): boolean {
    if (this.#outstandingSince === 0) return false;
    const withinMs = this.#vendorMessageAt === 0 ? this.#limits.firstEventMs : this.#silenceMs;
    return now - Math.max(this.#outstandingSince, this.#vendorMessageAt) > withinMs;
  }
}
