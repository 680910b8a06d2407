import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startBackends, type Backends } from "@modelgate/testkit";
import { ConsoleCookies } from "../../src/console/cookie.ts";
import { Sessions } from "../../src/console/sessions.ts";

describe("sessions and links", () => {
  let backends: Backends;
  let redis: Redis;
  let sessions: Sessions;
  beforeAll(async () => {
    backends = await startBackends();
    redis = new Redis(backends.redisUrl);
  });
  beforeEach(async () => {
    await redis.flushall();
    sessions = new Sessions(redis);
  });
  afterAll(async () => {
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  const ada = { name: "ada", role: "admin" } as const;

  test("a link signs in once", async () => {
    const { link } = await sessions.makeLink(ada, "secret");
    const session = await sessions.begin(await sessions.signInByLink(link), "127.0.0.1", undefined);
    expect(await sessions.find(session)).toMatchObject(ada);
    await expect(sessions.signInByLink(link)).rejects.toMatchObject({ code: "invalid_api_key" });
  });

  test.each([
    ["the operator that it signs in", "ada"],
    ["the operator that created it", "olga"],
  ])("a link made before a change of %s is refused, and its session ends", async (_, name) => {
    const [before, after] = [await sessions.makeLink(ada, "olga"), await sessions.makeLink(ada, "olga")];
    const session = await sessions.begin(await sessions.signInByLink(before.link), "127.0.0.1", undefined);
    await sessions.revoke(name);
    await expect(sessions.signInByLink(after.link)).rejects.toMatchObject({ code: "invalid_api_key" });
    expect(await sessions.find(session)).toBeUndefined();
  });

  test("a change of a person ends the person's keys, also without an open session", async () => {
    const ended: string[] = [];
    await new Sessions(redis, async (name) => void ended.push(name)).revoke("ada");
    expect(ended).toEqual(["ada"]);
  });

  test("a sign-in that started before a change ends with it, although its session is newer", async () => {
    const permissionVersions = await sessions.permissionVersions.of(["ada"]);
    await sessions.revoke("ada");
    const session = await sessions.begin({ operator: ada, permissionVersions }, "127.0.0.1", undefined);
    expect(await sessions.find(session)).toBeUndefined();
    const later = { operator: ada, permissionVersions: await sessions.permissionVersions.of(["ada"]) };
    expect(await sessions.find(await sessions.begin(later, "127.0.0.1", undefined))).toMatchObject(ada);
  });

  test("a session from releases without permission versions is valid until its operator changes", async () => {
    const session = await sessions.begin({ operator: ada, permissionVersions: {} }, "127.0.0.1", undefined);
    const [key = ""] = await redis.keys("console:session:*");
    const { generations: _, ...record } = JSON.parse((await redis.get(key)) ?? "{}");
    await redis.set(key, JSON.stringify(record), "EX", 60);
    expect(await sessions.find(session)).toMatchObject(ada);
    await sessions.permissionVersions.renew("ada");
    expect(await sessions.find(session)).toBeUndefined();
  });
});

test.each([
  ["https://console.example", "__Host-modelgate_session=s; Path=/; HttpOnly; Secure; SameSite=Strict"],
  ["http://console.example", "modelgate_session=s; Path=/; HttpOnly; SameSite=Strict"],
  [undefined, "modelgate_session=s; Path=/; HttpOnly; SameSite=Strict"],
])("the cookie of a console at %s", (consoleUrl, expected) => {
  const cookies = new ConsoleCookies(consoleUrl);
  expect(cookies.setSession("s")).toBe(expected);
  const [cookie = ""] = expected.split(";");
  expect(cookies.findSession({ cookie: `other=1; ${cookie}` })).toBe("s");
});

test("behind https a cookie that a sibling host could set is not a session", () => {
  expect(new ConsoleCookies("https://console.example").findSession({ cookie: "modelgate_session=s" })).toBeUndefined();
});
