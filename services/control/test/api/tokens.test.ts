import { createAccount, projectToken, makeToken, newKey, writeEpoch } from "@modelgate/accounts";
import { startBackends, type Backends } from "@modelgate/testkit";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenRoutes } from "../../src/api/tokens.ts";
import { ledgerAt, type Ledger } from "../../src/ledger.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  await writeEpoch(redis, "of this test");
  await createAccount(redis, { id: "acme", balance: 0n });
  const { digest, token } = makeToken(newKey(), { accountId: "acme", group: "default" });
  await projectToken(redis, digest, token);
}, 60_000);
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

/** The ledger's request for a new key of the account. */
async function requestOf(account: string | undefined): Promise<Parameters<Ledger["createToken"]>[0]> {
  const requests: Parameters<Ledger["createToken"]>[0][] = [];
  const ledger: Ledger = {
    ...ledgerAt("http://127.0.0.1:1", "a secret of this test alone"),
    createToken: async (request) => {
      requests.push(request);
      return { token: request.token, created: true };
    },
  };
  await tokenRoutes(redis, ledger)["POST /accounts/{id}/tokens"]?.({
    operator: { name: "test", role: "operator", ...(account === undefined ? {} : { account }) },
    headers: {},
    address: "",
    params: { id: "acme" },
    query: new URLSearchParams(),
    body: { group: "default" },
    actor: "test",
  });
  const [request] = requests;
  if (request === undefined) throw new Error("the ledger got no request");
  return request;
}

test("an account has room for 200 keys where a member makes one, and for 10,000 where an operator does", async () => {
  expect(await requestOf("acme")).toMatchObject({ max: 200, token: { ofMember: true } });
  const byOperator = await requestOf(undefined);
  expect(byOperator.max).toBe(10_000);
  expect(byOperator.token).not.toHaveProperty("ofMember");
});
