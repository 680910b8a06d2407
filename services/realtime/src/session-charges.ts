import type { Failure } from "@modelgate/contracts";
import type { ClientEvent, RealtimeMessage, SeenEvent } from "@modelgate/wires/realtime";

/** Charges of a session. The session calls these methods. */
export interface SessionCharges {
  /** Call id of the current reservation. */
  readonly callId: string;
  /** True while output of the vendor is outstanding. */
  readonly isOutputOutstanding: boolean;
  /** True while a client event waits for a reservation. */
  readonly isPaying: boolean;
  /**
   * Counts a client event before it may be sent to the vendor, and may start a payment. Absent if events cost nothing.
   */
  countEvent?(event: ClientEvent): void;
  /** Returns true if a client event may be sent to the vendor. */
  maySend(event: ClientEvent): boolean;
  /** Handles a client event that was sent to the vendor. Absent if events cost nothing. */
  handleSent?(event: ClientEvent): void;
  /** Handles a vendor's event, including events after the client has disconnected. */
  handleEvent(seen: SeenEvent): void;
  /** Pays for time that has passed. Called periodically until the session ends. Absent if time costs nothing. */
  tick?(): void;
  /** Stops reservations because the session has ended. Outstanding amounts are charged when the charges are closed. */
  end(): void;
  /** Notes that the vendor is disconnected and will report no more usage. */
  noteVendorGone(): void;
  /** Ends the vendor's work. Resolves when the usage of that work is reported, or after `withinMs`. */
  awaitLastUsage(withinMs: number): Promise<void>;
  /** Charges what was not reported, and releases the reservations. */
  close(): Promise<void>;
}

/** Methods of a session that its `SessionCharges` calls. */
export interface ChargedSession {
  /** Sends a message of the gateway to the vendor. */
  sendToVendor(message: RealtimeMessage): void;
  /** Sends the client events that waited for money. */
  resumeEvents(): void;
  /** Tells the client that a payment has to wait. */
  reportPaymentDelay(failure: Failure): void;
  /** Ends the session because a payment failed. */
  endUnpaid(error: unknown): void;
}

/** Waits for the outstanding usage of a session that has ended. */
export class LastUsage {
  #isVendorGone = false;
  #resolve: (() => void) | undefined;

  /** True once the vendor is disconnected: missing usage will never be reported. */
  get isVendorGone(): boolean {
    return this.#isVendorGone;
  }

  /** True once a wait has begun. */
  get isAwaited(): boolean {
    return this.#resolve !== undefined;
  }

  noteVendorGone(): void {
    this.#isVendorGone = true;
    this.#resolve?.();
  }

  /** Ends the wait, if there is one: no usage is outstanding. */
  complete(): void {
    this.#resolve?.();
  }

  /** Resolves when the wait is ended, or after `withinMs`. */
  wait(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#resolve = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
