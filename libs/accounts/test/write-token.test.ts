import { startBackends, type Backends } from "@modelgate/testkit";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callerSeconds } from "@modelgate/contracts";
import {
  checkStillValid,
  createAccount,
  keyDigest,
  findToken,
  findTokenById,
  findUsedToken,
  listTokens,
  makeToken,
  newKey,
  writeTokenToRedis,
  withLastUse,
  type Token,
} from "../src/index.ts";
import { accountKeys } from "../src/keys.ts";

let backends: Backends;
let redis: Redis;
beforeAll(async () => {
  backends = await startBackends();
  redis = new Redis(backends.redisUrl);
  await createAccount(redis, { id: "acme", balance: 0n });
});
afterAll(async () => {
  redis?.disconnect();
  await backends?.[Symbol.asyncDispose]();
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const now = (): string => new Date().toISOString();

interface Version {
  readonly digest: string;
  readonly token: Token;
  readonly replaced: readonly { readonly digest: string; readonly replacedAt: string; readonly expiresAt: string }[];
}

/** Returns a token, and its versions after two rotations within the grace period. */
function threeVersions(): { readonly digests: readonly string[]; readonly versions: readonly Version[] } {
  const first = makeToken(newKey(), { accountId: "acme", group: "g" });
  const [b, c] = [keyDigest(newKey()), keyDigest(newKey())];
  const replacedAt = now();
  const [hint, end] = [first.token.hint, inAnHour()];
  const previous = { hint, replacedAt, expiresAt: end };
  const old = { digest: first.digest, replacedAt, expiresAt: end };
  return {
    digests: [first.digest, b, c],
    versions: [
      { digest: first.digest, token: { ...first.token, version: 1 }, replaced: [] },
      { digest: b, token: { ...first.token, version: 2, previous }, replaced: [old] },
      {
        digest: c,
        token: { ...first.token, version: 3, previous },
        replaced: [
          { digest: b, replacedAt, expiresAt: end },
          { ...old, expiresAt: replacedAt },
        ],
      },
    ],
  };
}

async function usableDigests(digests: readonly string[]): Promise<readonly string[]> {
  const tokens = await Promise.all(digests.map((digest) => findToken(redis, digest)));
  return digests.filter((_, at) => {
    const token = tokens[at];
    return token !== undefined && !token.disabled && Date.parse(token.expiresAt ?? inAnHour()) > Date.now();
  });
}

const write = ({ digest, token, replaced }: Version): Promise<void> =>
  writeTokenToRedis(redis, digest, token, replaced);

test("the current and the previous key are one token with one id, in any order of writing", async () => {
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [2, 0, 1],
    [2, 1, 0],
    [0, 1, 2, 1, 0],
  ]) {
    const { digests, versions } = threeVersions();
    for (const at of order) await write(versions[at] ?? expect.unreachable("no such version"));
    const [, b, c] = digests;
    expect(await usableDigests(digests), String(order)).toEqual([b, c]);
    const id = versions[0]?.token.id ?? "";
    expect(await findTokenById(redis, id)).toEqual(versions[2]?.token);
    expect((await listTokens(redis, "acme")).filter((token) => token.id === id)).toHaveLength(1);
    expect((await findToken(redis, b ?? ""))?.id).toBe(id);
  }
});

test("versions that are written at the same time result in two keys", async () => {
  for (let round = 0; round < 20; round++) {
    const { digests, versions } = threeVersions();
    await Promise.all(versions.map(write));
    expect(await usableDigests(digests)).toEqual(digests.slice(1));
    expect(await findTokenById(redis, versions[0]?.token.id ?? "")).toMatchObject({ version: 3 });
  }
});

test("a change applies to both keys, and every edge is notified of both", async () => {
  const { digests, versions } = threeVersions();
  const [first, second] = versions;
  if (first === undefined || second === undefined) throw new Error("no versions");
  for (const version of [first, second]) await write(version);
  const listener = new Redis(backends.redisUrl);
  const announced = new Set<string>();
  listener.on("message", (_channel: string, digest: string) => announced.add(digest));
  await listener.subscribe(accountKeys.tokenChanges);
  await write({ ...second, token: { ...second.token, version: 3, disabled: true } });
  expect(await usableDigests(digests)).toEqual([]);
  await expect.poll(() => [...announced].sort()).toEqual(digests.slice(0, 2).toSorted());
  const soon = new Date(Date.now() + 60_000).toISOString();
  await write({ ...second, token: { ...second.token, version: 4, expiresAt: soon } });
  for (const digest of digests.slice(0, 2)) expect(await findToken(redis, digest)).toMatchObject({ expiresAt: soon });
  listener.disconnect();
});

test("the use of a replaced key is recorded, that of others is not", async () => {
  const { digests, versions } = threeVersions();
  const [first, second] = versions;
  if (first === undefined || second === undefined) throw new Error("no versions");
  for (const version of [first, second]) await write(version);
  const readLastUse = async () => (await withLastUse(redis, second.token)).previous?.lastUsedAt;
  await findUsedToken(redis, second.digest);
  expect(await readLastUse()).toBeUndefined();
  const before = Date.now();
  expect(await findUsedToken(redis, digests[0] ?? "")).toMatchObject({ id: first.token.id });
  expect(Date.parse((await readLastUse()) ?? "")).toBeGreaterThanOrEqual(before);
  const use = accountKeys.replacedKeyUse(first.token.id, second.token.previous?.replacedAt ?? "");
  expect(await redis.pttl(use)).toBeGreaterThan(0);
});

test("a connection ends with the key that opened it", async () => {
  const { versions } = threeVersions();
  const [first, second] = versions;
  if (first === undefined || second === undefined) throw new Error("no versions");
  const { id } = first.token;
  const openedAt = (ms: number, keyExpiresAt?: string) => ({
    tokenId: id,
    expiresAt: Math.floor(ms / 1_000) + callerSeconds,
    ...(keyExpiresAt === undefined ? {} : { keyExpiresAt }),
  });
  const rotatedAt = Date.parse(second.token.previous?.replacedAt ?? "");
  const [before, after] = [rotatedAt - 10_000, rotatedAt];
  const inAMinute = new Date(Date.now() + 60_000).toISOString();
  const past = new Date(Date.now() - 1).toISOString();
  const rotated = async (graceEnd: string) => {
    const previous = { hint: "sk-…", replacedAt: new Date(rotatedAt).toISOString(), expiresAt: graceEnd };
    await redis.set(accountKeys.token(first.digest), JSON.stringify({ ...first.token, previous }));
  };
  await write(first);
  expect(await checkStillValid(redis, openedAt(before))).toMatchObject({ id });
  await rotated(inAMinute);
  expect(await checkStillValid(redis, openedAt(before))).toMatchObject({ id });
  await rotated(past);
  await expect(checkStillValid(redis, openedAt(before))).rejects.toMatchObject({ code: "api_key_expired" });
  expect(await checkStillValid(redis, openedAt(after))).toMatchObject({ id });
  // Opened by the replaced key during its grace period, and after a second rotation.
  expect(await checkStillValid(redis, openedAt(after, inAMinute))).toMatchObject({ id });
  await expect(checkStillValid(redis, openedAt(after, past))).rejects.toMatchObject({ code: "api_key_expired" });
  // A client secret ends with the key that created it, whenever it opens a connection.
  const secret = (createdMs: number) => ({ ...openedAt(after), secretCreatedAt: new Date(createdMs).toISOString() });
  await expect(checkStillValid(redis, secret(before))).rejects.toMatchObject({ code: "api_key_expired" });
  expect(await checkStillValid(redis, secret(after))).toMatchObject({ id });
  await rotated(inAMinute);
  expect(await checkStillValid(redis, secret(before))).toMatchObject({ id });
  await expect(checkStillValid(redis, openedAt(before, inAMinute))).rejects.toMatchObject({ code: "api_key_expired" });
});

test("an open connection keeps to the token's current list of addresses", async () => {
  const { versions } = threeVersions();
  const [first] = versions;
  if (first === undefined) throw new Error("no versions");
  const { id } = first.token;
  const openedFrom = (clientAddress?: string) => ({
    tokenId: id,
    expiresAt: Math.floor(Date.now() / 1_000) + callerSeconds,
    ...(clientAddress === undefined ? {} : { clientAddress }),
  });
  await write(first);
  expect(await checkStillValid(redis, openedFrom())).toMatchObject({ id });
  const limited = { ...first.token, allowedAddresses: ["192.0.2.0/24"] };
  await redis.set(accountKeys.token(first.digest), JSON.stringify(limited));
  expect(await checkStillValid(redis, openedFrom("192.0.2.7"))).toMatchObject({ id });
  for (const address of ["198.51.100.7", "", undefined])
    await expect(checkStillValid(redis, openedFrom(address))).rejects.toMatchObject({ code: "address_not_allowed" });
});

test("a deleted token is removed with both keys, also after a late write of an earlier version", async () => {
  const { digests, versions } = threeVersions();
  const [first, second] = versions;
  if (first === undefined || second === undefined) throw new Error("no versions");
  await write(first);
  await write({ ...second, token: { ...second.token, version: 5, deletedAt: now() } });
  await write(second);
  expect(await Promise.all(digests.map((digest) => findToken(redis, digest)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(await findTokenById(redis, first.token.id)).toBeUndefined();
  expect((await listTokens(redis, "acme")).map(({ id }) => id)).not.toContain(first.token.id);
});
