import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { post, signIn, signInByLink, type Answer, type BrowserClient } from "./console/people.ts";
import { config, hello } from "../../../libs/relay/test/config.ts";

let suite: Suite;
let operator: BrowserClient;
let mia: BrowserClient;

const linkIn = (url: string): string => new URL(url, suite.controlUrl).hash.slice(1);
const keyFor = (by: BrowserClient, body: object): Promise<Answer> => by.post("/playground/key", body);
const statusWith = async (key: string): Promise<number> => (await post(suite, hello("fixed"), key)).status;
const keysOf = async (account: string): Promise<readonly any[]> =>
  (await operator.get(`/accounts/${account}/tokens`)).data.filter((token: any) => token.playgroundOf !== undefined);

async function invite(...words: readonly string[]): Promise<BrowserClient> {
  const { url } = await suite.ask<{ url: string }>("org", "invite", "acme", ...words);
  return signIn(suite, { link: linkIn(url) });
}

describe("the playground's keys", () => {
  beforeAll(async () => {
    suite = await startSuite({ config });
    await until("the accounts", async () => (await post(suite, hello("chat"))).status === 200);
    operator = await signInByLink(suite, "operator");
    await operator.post("/accounts", { id: "wallet", balance: "10" });
    await suite.ask("org", "create", "acme");
    await suite.ask("team", "create", "acme", "search", "--account", "wallet");
    mia = await invite("mia", "--team", "search");
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  test("a viewer gets none, and a person names an account or team that they have", async () => {
    const viewer = await signInByLink(suite, "viewer");
    expect(await keyFor(viewer, { account: "demo" })).toMatchObject({
      status: 403,
      error: { code: "permission_denied" },
    });
    expect((await operator.get("/playground/accounts")).data).toEqual([
      { account: "demo", team: null },
      { account: "poor", team: null },
      { account: "wallet", team: null },
    ]);
    expect((await mia.get("/playground/accounts")).data).toEqual([{ account: "wallet", team: "search" }]);
    const refusals: readonly [BrowserClient, object, string][] = [
      [operator, {}, "account"],
      [operator, { account: "no-such-account" }, "account"],
      [operator, { account: "demo", group: "no-such-group" }, "group"],
      [mia, { account: "wallet" }, "account"],
      [mia, { account: "demo", team: "search" }, "team"],
    ];
    for (const [by, body, param] of refusals)
      expect(await keyFor(by, body), JSON.stringify(body)).toMatchObject({ status: 400, error: { param } });
  });

  test("an operator's key works for 15 minutes, and gives members no rights", async () => {
    const before = Date.now();
    const { data } = await keyFor(operator, { account: "wallet" });
    expect(data).toMatchObject({ account: "wallet", team: null, group: expect.any(String) });
    const lifetime = Date.parse(data.expiresAt) - before;
    expect(lifetime).toBeGreaterThanOrEqual(900_000);
    expect(Date.parse(data.expiresAt)).toBeLessThanOrEqual(Date.now() + 900_000);
    expect(await statusWith(data.key)).toBe(200);
    expect(await keysOf("wallet")).toMatchObject([{ playgroundOf: "operator by link", expiresAt: data.expiresAt }]);
    // A member's key must be bounded by an operator's key, but not by one of a playground.
    const body = { account: "wallet", team: "search" };
    expect(await keyFor(mia, body)).toMatchObject({ status: 400, error: { param: "group" } });
    expect(await mia.post("/accounts/wallet/tokens", { group: data.group })).toMatchObject({
      status: 400,
      error: { param: "group" },
    });
  });

  test("a member's key has the limits of an operator's key and the budgets of the team and the member", async () => {
    await suite.ask("token", "create", "wallet", "--group", "default", "--models", "fixed", "--name", "given");
    const { data } = await keyFor(mia, { account: "wallet", team: "search" });
    expect(await statusWith(data.key)).toBe(200);
    expect((await post(suite, hello("chat"), data.key)).status).toBe(403);
    const budget = { scope: "member:search/mia", period: "total", amount: "0.0000001" };
    const { id } = (await operator.post("/accounts/wallet/budgets", budget)).data;
    expect(await statusWith(data.key)).toBe(402);
    await operator.post(`/accounts/wallet/budgets/${id}/delete`);
    expect(await statusWith(data.key)).toBe(200);
    const own = (await keysOf("wallet")).find(({ playgroundOf }) => playgroundOf === "mia");
    expect(own).toMatchObject({ member: "search/mia", team: "search", models: ["fixed"], ofMember: true });
  });

  test("a new key replaces the last one, which works until its own end; a disabled one is not replaced", async () => {
    const body = { account: "wallet", team: "search" };
    const [first, second] = [(await keyFor(mia, body)).data, (await keyFor(mia, body)).data];
    expect(second.key).not.toBe(first.key);
    expect([await statusWith(first.key), await statusWith(second.key)]).toEqual([200, 200]);
    const own = (await keysOf("wallet")).filter(({ playgroundOf }) => playgroundOf === "mia");
    expect(own).toMatchObject([{ previous: { expiresAt: first.expiresAt }, expiresAt: second.expiresAt }]);
    const { id } = own[0];
    await operator.post(`/tokens/${id}/disable`);
    expect(await keyFor(mia, body)).toMatchObject({
      status: 403,
      error: { message: expect.stringMatching(/disabled/) },
    });
    await operator.post(`/tokens/${id}/enable`);
    expect(await statusWith((await keyFor(mia, body)).data.key)).toBe(200);
    // The replaced key is a member's key again, although an operator has changed it.
    expect(await mia.get(`/tokens/${id}`)).toMatchObject({
      data: { ofMember: true, within: { id: expect.any(String) } },
    });
  });

  test("a person has a token for each group, and the group of a key never changes", async () => {
    await operator.post("/accounts", { id: "grouped", balance: "10" });
    const keyIn = async (group: string) => (await keyFor(operator, { account: "grouped", group })).data;
    const [usual, double] = [await keyIn("default"), await keyIn("double")];
    const again = await keyIn("default");
    for (const { key } of [usual, double, again]) expect(await statusWith(key)).toBe(200);
    const tokens = await keysOf("grouped");
    expect(tokens.map(({ group }) => group)).toEqual(["default", "double"]);
    const events = await until("the calls in the books", async () => {
      const found: readonly any[] = (await operator.get("/usage/events?account=grouped")).data.events;
      return found.length === 3 ? found : undefined;
    });
    const costs = events.map(({ tokenId, costNanos }) => [tokenId, costNanos]);
    const [inDefault, inDouble] = tokens.map(({ id }) => id);
    expect(costs.toSorted()).toEqual(
      [
        [inDefault, "1000000"],
        [inDefault, "1000000"],
        [inDouble, "2000000"],
      ].toSorted(),
    );
  });

  test("two first requests at the same time make one token, and both keys work", async () => {
    await operator.post("/accounts", { id: "raced", balance: "10" });
    const both = await Promise.all([0, 1].map(() => keyFor(operator, { account: "raced" })));
    for (const { data } of both) expect(await statusWith(data.key)).toBe(200);
    expect(await keysOf("raced")).toHaveLength(1);
  });

  test("a team whose member used the playground is deleted with the member's key", async () => {
    await suite.ask("team", "create", "acme", "brief", "--account", "wallet");
    const kay = await invite("kay", "--team", "brief");
    expect((await keyFor(kay, { account: "wallet", team: "brief" })).data).toMatchObject({ team: "brief" });
    await suite.ask("org", "remove", "acme", "kay", "--team", "brief");
    await suite.ask("team", "delete", "acme", "brief");
    await until("the end of the team's keys", async () =>
      (await keysOf("wallet")).every(({ team }) => team !== "brief"),
    );
  });

  test("the key of a person who is removed from the team ends", async () => {
    const rae = await invite("rae", "--team", "search");
    const { key } = (await keyFor(rae, { account: "wallet", team: "search" })).data;
    expect(await statusWith(key)).toBe(200);
    await suite.ask("org", "remove", "acme", "rae", "--team", "search");
    await until("the refusal of the key", async () => (await statusWith(key)) === 401);
  });

  test("the key ends with the session: by a sign-out, and when an admin ends the session or disables the person", async () => {
    const admin = await signInByLink(suite, "admin");
    await admin.post("/operators", { name: "olga", role: "operator", password: "correct horse battery staple" });
    const again = () => signIn(suite, { name: "olga", password: "correct horse battery staple" });
    const ends: readonly ((olga: BrowserClient) => Promise<unknown>)[] = [
      (olga) => olga.post("/session/end"),
      async () => {
        const sessions: readonly any[] = (await admin.get("/sessions")).data;
        await admin.post(`/sessions/${sessions.find(({ name }) => name === "olga").id}/end`);
      },
      () => admin.post("/operators/olga", { disabled: true }),
    ];
    const ended: string[] = [];
    for (const end of ends) {
      const olga = await again();
      const { key } = (await keyFor(olga, { account: "demo" })).data;
      expect(await statusWith(key)).toBe(200);
      await end(olga);
      ended.push(key);
      for (const each of ended) await until("the refusal of the key", async () => (await statusWith(each)) === 401);
    }
    expect(await keysOf("demo")).toHaveLength(1);
  });

  test("no log and no entry of the audit contains a key", async () => {
    const { key } = (await keyFor(mia, { account: "wallet", team: "search" })).data;
    const audit = await operator.get("/audit?account=wallet");
    expect(JSON.stringify(audit.data)).not.toContain(key);
    const services = ["control", "ledger", "edge"] as const;
    for (const name of services) expect(suite.process(name).logs(), name).not.toContain(key);
  });
});
