import { Pool } from "undici";
import { dispatchOn, NothingSent } from "./dispatch.ts";
import { checkAddress, vendorLookup } from "./link-local.ts";
import type { UpstreamAnswer, UpstreamRequest } from "./upstream.ts";

/**
 * The only HTTP client of the suite: one pool of connections per address. A kept connection may have died meanwhile.
 * undici looks at it before it hands a request over, and takes another one; where its end comes in between, and the
 * system takes no byte of the request, it is sent once more, over another connection. Nothing else is ever sent again
 * here: of what was written the vendor may have heard, and it is for the attempts to judge.
 */
export interface Transport extends AsyncDisposable {
  /**
   * Resolves at the answer's head; rejects where none came (NothingSent: no byte of it left). An aborted signal ends
   * the exchange at any time.
   */
  send(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer>;
}

/** Idle connections are dropped before a vendor's server would drop them under a request. */
const keepAliveMs = 4_000;
const connectMs = 10_000;
/** Most addresses that connections are kept for; beyond it those of the oldest are closed once they are free. */
const mostPools = 256;

export function openTransport(): Transport {
  const pools = new Map<string, Pool>();

  function poolOf(origin: string): Pool {
    const known = pools.get(origin);
    if (known !== undefined) {
      // What makes the map's tables anew with each call leaves garbage that grows old: the order is kept where it is needed.
      if (pools.size <= mostPools / 2) return known;
      // Behind all others: the first is the one that was unused for longest.
      pools.delete(origin);
      pools.set(origin, known);
      return known;
    }
    const [oldest] = pools.keys();
    if (pools.size >= mostPools && oldest !== undefined) {
      void pools.get(oldest)?.close();
      pools.delete(oldest);
    }
    checkAddress(origin);
    const pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs * 10,
      connect: { timeout: connectMs, lookup: vendorLookup },
    });
    pools.set(origin, pool);
    return pool;
  }

  return {
    async send(request, signal) {
      const pool = poolOf(request.url.origin);
      try {
        return await dispatchOn(pool, request, signal);
      } catch (error) {
        // A stream has been read from by now.
        const isWhole = request.body === undefined || Buffer.isBuffer(request.body);
        if (!(error instanceof NothingSent) || !isWhole || signal.aborted) throw error;
        return dispatchOn(pool, request, signal);
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
