import { Failure } from "@modelgate/contracts";
import { orUnavailable, type Redis } from "@modelgate/platform";
import { unlessLost } from "../restore/epoch.ts";
import { findTokenById } from "./token.ts";

/** Checks the key of a connection that has long been open. Throws Failure where it was disabled or has expired since. */
export async function checkStillValid(redis: Redis, tokenId: string): Promise<void> {
  const look = () => findTokenById(redis, tokenId);
  const token = await orUnavailable(unlessLost(redis, look, (found) => found === undefined));
  if (token === undefined || token.disabled) throw new Failure("api_key_disabled");
  if (token.expiresAt !== undefined && Date.parse(token.expiresAt) <= Date.now()) throw new Failure("api_key_expired");
}
