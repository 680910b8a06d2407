import { kept } from "./evidence.ts";
import { restName, type RestScope } from "./rest-scope.ts";

/** Pause of an account after its first failed call at a channel of last resort; each further one doubles it. */
const firstPauseMs = 250;
/** Longest pause: a channel of last resort is tried at least this often, as long as somebody asks. */
const longestPauseMs = 10_000;
/** Accounts, each with a model of a channel, that are counted; the one unused for longest is dropped. */
const mostCounted = 2_000;

/**
 * How often an account may try a channel that rests because there is no other: at once while none of its own calls
 * failed there, and after pauses that grow with its own failures in a row.
 */
export class LastResort {
  readonly #counted = new Map<string, { failures: number; at: number }>();

  /** When the account may try there again, Unix ms. */
  next(scope: RestScope, account: string): number {
    const known = this.#counted.get(restName(scope, account));
    return known === undefined ? 0 : known.at + Math.min(firstPauseMs * 2 ** (known.failures - 1), longestPauseMs);
  }

  /** A call of the account goes there now: the next one waits its turn. */
  goes(scope: RestScope, account: string, now: number): void {
    const known = this.#counted.get(restName(scope, account));
    if (known !== undefined) known.at = now;
  }

  failed(scope: RestScope, account: string, now: number): void {
    const known = kept(this.#counted, restName(scope, account), mostCounted, () => ({ failures: 0, at: now }));
    known.failures++;
    known.at = now;
  }

  worked(scope: RestScope, account: string): void {
    if (this.#counted.size > 0) this.#counted.delete(restName(scope, account));
  }
}
