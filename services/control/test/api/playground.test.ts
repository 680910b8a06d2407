import { createAccount, makeToken, newKey, writeTokenToRedis, writeEpoch, type Token } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { startBackends, type Backends } from "@modelgate/testkit";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endPlaygroundKeys } from "../../src/api/playground-keys.ts";
import { playgroundRoutes } from "../../src/api/playground.ts";
import { ledgerAt, type Ledger } from "../../src/ledger.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
});
beforeEach(async () => {
  await redis.flushall();
  await writeEpoch(redis, "of this test");
  await createAccount(redis, { id: "acme", balance: 0n });
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

/** Returns a ledger that records changes of keys. `whileCreating` runs before a key exists. */
function recordingLedger(whileCreating: () => Promise<void> = async () => undefined) {
  const acts: [act: string, id: string][] = [];
  const unknown = new Failure("unknown_url", "There is no such token.");
  const ids = new Set<string>();
  const ledger: Ledger = {
    ...ledgerAt("http://127.0.0.1:1", "a secret of this test alone"),
    createToken: async ({ token }) => {
      await whileCreating();
      acts.push(["create", token.id]);
      ids.add(token.id);
      return { token, created: true };
    },
    changeToken: async (id, _, { action }) => {
      if (!ids.has(id)) throw unknown;
      acts.push([action, id]);
      return tokenOf({ id });
    },
    deleteToken: async (id) => {
      acts.push(["delete", id]);
      throw unknown; // another request has deleted it
    },
  };
  return { ledger, acts, ids };
}

const tokenOf = (members: Partial<Token>): Token => ({
  ...makeToken(newKey(), { accountId: "acme", group: "default" }).token,
  ...members,
});

async function keyFor(ledger: Ledger): Promise<unknown> {
  return playgroundRoutes(redis, ledger)["POST /playground/key"]?.({
    operator: { name: "ada", role: "operator" },
    headers: {},
    address: "",
    params: {},
    query: new URLSearchParams(),
    body: { account: "acme", group: "default" },
    actor: "ada",
  });
}

test("a key that is made during a sign-out ends at once, even if the sign-out was before the key existed", async () => {
  const { ledger, acts } = recordingLedger(() => endPlaygroundKeys({ redis, ledger }, "ada"));
  await expect(keyFor(ledger)).rejects.toMatchObject({ code: "invalid_api_key" });
  expect(acts).toEqual([
    ["create", expect.any(String)],
    ["token.expire", acts[0]?.[1]],
  ]);
});

test("of two requests at the same time, a sign-out ends both keys", async () => {
  const bothCreate = Promise.withResolvers<void>();
  let creating = 0;
  const { ledger, acts } = recordingLedger(async () => {
    creating += 1;
    if (creating < 2) return bothCreate.promise;
    await endPlaygroundKeys({ redis, ledger }, "ada");
    bothCreate.resolve();
  });
  const results = await Promise.allSettled([keyFor(ledger), keyFor(ledger)]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(acts.filter(([act]) => act === "token.expire")).toHaveLength(2);
});

test("a sign-out ends the other keys although one cannot be ended", async () => {
  const { ledger, acts, ids } = recordingLedger();
  for (const id of ["tok_a", "tok_b", "tok_c"]) {
    ids.add(id);
    await redis.sadd("console:playground:ada", id);
  }
  const failing: Ledger = {
    ...ledger,
    changeToken: async (id, ...rest) => {
      if (id === "tok_b") throw new Failure("server_overloaded");
      return ledger.changeToken(id, ...rest);
    },
  };
  await expect(endPlaygroundKeys({ redis, ledger: failing }, "ada")).rejects.toMatchObject({
    code: "server_overloaded",
  });
  expect(new Set(acts.map(([, id]) => id))).toEqual(new Set(["tok_a", "tok_c"]));
  expect(await redis.smembers("console:playground:ada")).toEqual([]);
});

test("a request deletes the account's playground keys that expired over a day ago, except disabled ones", async () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const stored: Readonly<Record<string, Partial<Token>>> = {
    old: { playgroundOf: "mia", expiresAt: hoursAgo(25) },
    recent: { playgroundOf: "mia", expiresAt: hoursAgo(23) },
    disabled: { playgroundOf: "mia", expiresAt: hoursAgo(25), disabled: true },
    usual: { expiresAt: hoursAgo(25) },
    permanent: {},
  };
  for (const [id, members] of Object.entries(stored)) {
    const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
    await writeTokenToRedis(redis, digest, { ...token, ...members, id });
  }
  const { ledger, acts } = recordingLedger();
  expect(await keyFor(ledger)).toMatchObject({ key: expect.any(String), group: "default" });
  expect(acts).toEqual([
    ["create", expect.any(String)],
    ["delete", "old"],
  ]);
});
