import { findTokenById, unlessLost } from "@modelgate/accounts";
import { asFailure, Failure } from "@modelgate/contracts";
import { orUnavailable } from "@modelgate/platform";
import type { Deps } from "./deps.ts";

/** A session that wants to go on. */
export interface GoingOn {
  readonly tokenId: string;
  /** Holds or charges what going on costs. Throws Failure. */
  pay(): Promise<void>;
  /** Whether it has ended meanwhile. */
  ended(): boolean;
  /** Told once, where it has to wait. */
  waits(failure: Failure): void;
}

/** Tries to go on after a failure that may pass, and the pause between them where it does not say its own. */
const [mostTries, pauseMs] = [10, 1_000];

/**
 * Pays for a session to go on; a limit or an outage that may pass is waited for. Throws Failure where the account cannot
 * pay, the key was taken back, or the store stays away.
 */
export async function holdOn({ relay }: Deps, { tokenId, pay, ended, waits }: GoingOn): Promise<void> {
  for (let tries = 1; !ended(); tries++) {
    try {
      await checkKey(relay, tokenId);
      return await pay();
    } catch (error) {
      const failure = asFailure(error);
      if (!failure.kind.retryable || tries >= mostTries) throw failure;
      if (tries === 1) waits(failure);
      const forMs = (failure.retryAfterSeconds ?? 0) * 1_000 || pauseMs;
      await new Promise((resolve) => setTimeout(resolve, forMs).unref());
    }
  }
}

/** A key that was taken back while its session was open does not pay for another response. */
async function checkKey({ redis }: Deps["relay"], tokenId: string): Promise<void> {
  const look = () => findTokenById(redis, tokenId);
  const token = await orUnavailable(unlessLost(redis, look, (found) => found === undefined));
  if (token === undefined || token.disabled) throw new Failure("api_key_disabled");
  if (token.expiresAt !== undefined && Date.parse(token.expiresAt) <= Date.now()) throw new Failure("api_key_expired");
}
