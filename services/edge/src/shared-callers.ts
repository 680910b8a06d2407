import { callerLimits, type Token } from "@modelgate/accounts";
import type { Group } from "@modelgate/catalog";
import { callerSeconds, withoutUndefined, type Caller } from "@modelgate/contracts";
import { signCaller } from "@modelgate/platform";

/** Maximum ms for which calls share a caller. */
const sharedMs = 10_000;

interface SharedCaller {
  readonly caller: Caller;
  readonly group: Group;
  readonly until: number;
  signed: string | undefined;
}

/**
 * Creates callers and signs them. The calls of an API key share a caller and its signature for a short time, unless the
 * key's record or group changes.
 */
export class SharedCallers {
  readonly #secret: string;
  readonly #byToken = new WeakMap<Token, SharedCaller>();
  readonly #byCaller = new WeakMap<Caller, SharedCaller>();

  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Returns the caller of an API key, without the details of a single call. */
  callerOf(token: Token, group: Group): Caller {
    const now = Date.now();
    const last = this.#byToken.get(token);
    if (last !== undefined && last.group === group && now < last.until) return last.caller;
    const caller: Caller = {
      accountId: token.accountId,
      tokenId: token.id,
      requestId: "",
      ...callerLimits(token, group.limits),
      ...withoutUndefined({
        settingsId: token.settingsId,
        secretCreatedAt: token.settingsId && token.createdAt,
        keyExpiresAt: token.replacedAt && token.expiresAt,
      }),
      expiresAt: Math.floor(now / 1_000) + callerSeconds,
    };
    const shared: SharedCaller = { caller, group, until: now + sharedMs, signed: undefined };
    this.#byToken.set(token, shared);
    this.#byCaller.set(caller, shared);
    return caller;
  }

  sign(caller: Caller): string {
    const shared = this.#byCaller.get(caller);
    if (shared === undefined) return signCaller(this.#secret, caller);
    return (shared.signed ??= signCaller(this.#secret, caller));
  }
}
