import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import type { Operation } from "../src/openapi/operation.ts";
import { operations } from "../src/openapi/operations/index.ts";
import { post, signIn, signInByLink, type BrowserClient } from "./console/people.ts";
import { channel, config, hello } from "../../../libs/relay/test/config.ts";

type Name = "ora" | "tom" | "mia" | "zoltan" | "quagga";

let suite: Suite;
let operator: BrowserClient;
const people = new Map<string, BrowserClient>();
const keys = new Map<string, { readonly id: string; readonly key: string }>();
const budgets = new Map<string, string>();
const as = (name: Name): BrowserClient => people.get(name) ?? operator;
const tokenOf = (name: string) => keys.get(name) ?? { id: "", key: "" };

async function makeKey(by: BrowserClient, name: string, account: string, team?: string): Promise<void> {
  const { data, error } = await by.post(`/accounts/${account}/tokens`, { group: "default", name, team });
  if (error !== undefined) throw new Error(error.message);
  keys.set(name, data);
}

async function makeBudget(by: BrowserClient, account: string, scope: string, amount = "5"): Promise<string> {
  const body = { scope, amount, period: "total", name: `budget of ${scope}` };
  const { data, error } = await by.post(`/accounts/${account}/budgets`, body);
  if (error !== undefined) throw new Error(error.message);
  return data.id;
}

const linkIn = (url: string): string => new URL(url, suite.controlUrl).hash.slice(1);

async function join(inviting: readonly string[]): Promise<void> {
  const { url, name } = await suite.ask<{ url: string; name: string }>("org", "invite", ...inviting);
  people.set(name, await signIn(suite, { link: linkIn(url) }));
}

beforeAll(async () => {
  suite = await startSuite({
    config: {
      ...config,
      models: { ...config.models, film: { kind: "video", price: { second: 0.01 } } },
      channels: [...config.channels, channel("films", ["film"])],
    },
  });
  await until("the accounts", async () => (await post(suite, hello("chat"))).status === 200);
  operator = await signInByLink(suite, "operator");
  for (const id of ["wallet", "lab-wallet", "outside"]) await operator.post("/accounts", { id, balance: "10" });
  for (const organisation of ["acme", "evil"]) await suite.ask("org", "create", organisation);
  await suite.ask("team", "create", "acme", "search", "--account", "wallet");
  await suite.ask("team", "create", "acme", "zebra", "--account", "wallet");
  await suite.ask("team", "create", "acme", "lab", "--account", "lab-wallet");
  await suite.ask("team", "create", "evil", "search", "--account", "outside");
  await join(["acme", "ora"]);
  await join(["acme", "tom", "--team", "search", "--role", "admin"]);
  await join(["acme", "mia", "--team", "search"]);
  await join(["acme", "zoltan", "--team", "zebra"]);
  await join(["evil", "quagga"]);
  for (const account of ["wallet", "lab-wallet", "outside"]) await makeKey(operator, `of ${account}`, account);
  await makeKey(operator, "given to search", "wallet", "search");
  await makeKey(as("mia"), "mia's", "wallet");
  await makeKey(as("zoltan"), "zoltan's", "wallet");
  await makeKey(as("quagga"), "quagga's", "outside", "search");
  budgets.set("team:zebra", await makeBudget(as("ora"), "wallet", "team:zebra"));
  budgets.set("team:search", await makeBudget(as("ora"), "wallet", "team:search"));
  budgets.set("account", await makeBudget(operator, "wallet", "account"));
  budgets.set("of quagga", await makeBudget(as("quagga"), "outside", "team:search"));
  for (const name of ["zoltan's", "quagga's", "of wallet", "mia's"])
    await post(suite, hello("fixed"), tokenOf(name).key);
  await until(
    "the calls in the books",
    async () => (await operator.get("/usage/events?model=fixed")).data.events.length === 4,
  );
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Operations about accounts or organisations. */
const guarded = Object.entries(operations).filter(([, { role, member }]) => role !== "visitor" && member !== "all");

/** Returns values of `{id}` below a folder of the API. */
function idsIn(folder: string): readonly string[] {
  switch (folder) {
    case "accounts":
      return ["wallet", "lab-wallet", "outside"];
    case "organisations":
      return ["acme", "evil"];
    case "tokens":
      return [...keys.values()].map(({ id }) => id);
    default:
      return ["main"]; // a channel; nothing else of this test has an id
  }
}

/** Returns the paths of an operation for all accounts, organisations, keys and budgets. */
function pathsOf(route: string): readonly string[] {
  const path = route.split(" ")[1] ?? "";
  const named = path.replace("{team}", "zebra").replace("{name}", "zoltan").replace("{version}", "1");
  const ids = named.includes("{id}") ? idsIn(path.split("/")[1] ?? "") : [""];
  const withIds = ids.map((id) => named.replace("{id}", id));
  if (!path.includes("{budget}")) return withIds;
  return withIds.flatMap((each) => [...budgets.values()].map((budget) => each.replace("{budget}", budget)));
}

const intrusiveQueries = ["account=wallet", "account=outside", "organisation=evil", "team=zebra", "team=search,zebra"];

/** Returns the paths of an operation with each intrusive query that it knows. */
function readsOf(route: string, { query = {} }: Operation): readonly string[] {
  const known = intrusiveQueries.filter((each) => Object.hasOwn(query, each.split("=")[0] ?? ""));
  return pathsOf(route).flatMap((path) => [path, ...known.map((each) => `${path}?${each}`)]);
}

/** Texts that each person must not see: ids and names. */
const hidden: Readonly<Record<Name, () => readonly string[]>> = {
  mia: () => [
    ...others("zoltan's", "quagga's", "of wallet", "of lab-wallet", "of outside"),
    "zoltan",
    "zebra",
    "quagga",
  ],
  tom: () => [
    ...others("zoltan's", "quagga's", "of wallet", "of lab-wallet", "of outside"),
    "zoltan",
    "zebra",
    "quagga",
  ],
  zoltan: () => [...others("mia's", "quagga's", "given to search", "of lab-wallet"), "mia", "tom", "quagga"],
  ora: () => [...others("quagga's", "of outside"), "quagga", "evil"],
  quagga: () => [...others("mia's", "zoltan's", "of wallet"), "mia", "zoltan", "acme", "wallet"],
};
const others = (...names: readonly string[]) => [
  ...names.map((name) => tokenOf(name).id),
  ...(names.includes("of wallet") ? [budgets.get("account") ?? ""] : []),
];

describe("organisations and teams", () => {
  test.each(Object.keys(hidden) as Name[])("no read shows %s another team or organisation", async (name) => {
    const reads = guarded.filter(([route]) => route.startsWith("GET "));
    expect(reads.length).toBeGreaterThan(15);
    let shown = 0;
    for (const [route, operation] of reads)
      for (const path of readsOf(route, operation)) {
        const { status, data } = await as(name).get(path);
        if (status !== 200) continue;
        shown++;
        // A member's key names the operator's key that bounds it.
        const text = JSON.stringify(data).replaceAll(/"within":\{[^}]*\}/g, "");
        const leaked = hidden[name]().filter((secret) => text.includes(secret));
        expect(leaked, `${name} GET ${path}`).toEqual([]);
      }
    expect(shown).toBeGreaterThan(15);
  });

  /** Change with the values of another team. */
  const intrusion = {
    id: "intruder",
    name: "zoltan",
    group: "default",
    team: "zebra",
    account: "outside",
    role: "admin",
    scope: "team:zebra",
    period: "total",
    amount: "9",
    balance: "9",
    reason: "none",
    disabled: true,
  };

  test.each(["mia", "tom"] as const)("no change by %s reaches another team, account or organisation", async (name) => {
    const before = await stateOf();
    const changes = guarded.filter(([route]) => route.startsWith("POST "));
    expect(changes.length).toBeGreaterThan(20);
    for (const [route] of changes)
      for (const path of pathsOf(route)) {
        if (name === "tom" && (path.includes(tokenOf("given to search").id) || path.includes(tokenOf("mia's").id)))
          continue;
        if (path.includes(tokenOf("mia's").id)) continue;
        const { status } = await as(name).post(path, intrusion);
        expect([400, 403, 404, 409], `${name} POST ${path}`).toContain(status);
      }
    expect(await stateOf()).toEqual(before);
  });

  /** Returns everything that changes of others could alter. */
  async function stateOf(): Promise<unknown> {
    const paths = ["/organisations", "/accounts", "/operators", "/accounts/wallet/tokens", "/accounts/outside/tokens"];
    const admin = await signInByLink(suite, "admin");
    const read = [...paths, "/accounts/wallet/budgets", "/accounts/outside/budgets"];
    return Promise.all(read.map(async (path) => [path, (await admin.get(path)).data]));
  }

  test("a member sees the team's keys, budgets, calls and members, and changes only their own keys", async () => {
    const mia = as("mia");
    const names = (await mia.get("/accounts/wallet/tokens")).data.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(["given to search", "mia's"]);
    expect((await mia.get(`/tokens/${tokenOf("mia's").id}`)).data).toMatchObject({
      team: "search",
      member: "search/mia",
    });
    const scopes = (await mia.get("/accounts/wallet/budgets")).data.map(({ scope }: { scope: string }) => scope);
    expect(scopes).toEqual(["team:search"]);
    const { events } = (await mia.get("/usage/events?model=fixed")).data;
    expect(events).toMatchObject([{ tokenId: tokenOf("mia's").id, team: "search", member: "search/mia" }]);
    expect(events[0]).not.toHaveProperty("receipt"); // its balance shows what other teams spend
    expect((await mia.get("/usage?by=token&model=fixed")).data).toHaveLength(1);
    expect((await mia.get("/usage/export?format=csv")).data).toContain("search/mia");
    expect((await mia.get("/organisations")).data).toMatchObject([
      {
        id: "acme",
        admins: [],
        mayAdminister: false,
        teams: [{ id: "search", members: [{ name: "mia" }, { name: "tom" }] }],
      },
    ]);
    const own = `/tokens/${tokenOf("mia's").id}`;
    expect((await mia.post(own, { dollarsPerDay: "1" })).data).toMatchObject({ budget: { perDay: "1000000000" } });
    expect((await mia.post(`/tokens/${tokenOf("given to search").id}/disable`)).status).toBe(403);
    expect((await mia.post("/accounts/wallet/budgets", { ...intrusion, scope: "member:search/mia" })).status).toBe(403);
  });

  test("an admin of a team manages its keys, its members and the budgets of these", async () => {
    const tom = as("tom");
    expect((await tom.post(`/tokens/${tokenOf("mia's").id}/disable`)).data).toMatchObject({ disabled: true });
    expect((await tom.post(`/tokens/${tokenOf("mia's").id}/enable`)).data).toMatchObject({ disabled: false });
    const invited = await tom.post("/organisations/acme/members", { name: "nina", team: "search" });
    expect(invited.data).toMatchObject({ name: "nina", team: "search", role: "member", url: expect.any(String) });
    const budget = await makeBudget(tom, "wallet", "member:search/mia");
    const path = `/accounts/wallet/budgets/${budget}`;
    expect((await tom.post(path, { amount: "4" })).data).toMatchObject({ nanos: "4000000000", usedNanos: "0" });
    expect((await tom.post(`${path}/delete`)).status).toBe(200);
    for (const scope of ["team:search", "account", "member:zebra/zoltan", "member:mia", "group:default"])
      expect((await tom.post("/accounts/wallet/budgets", { ...intrusion, scope })).status, scope).toBe(403);
    expect((await tom.post(`/accounts/wallet/budgets/${budgets.get("team:search")}/delete`)).status).toBe(403);
    expect((await tom.post("/organisations/acme/members", { name: "tom", role: "admin" })).status).toBe(403);
    expect((await tom.post("/organisations/acme/members/nina/remove", { team: "search" })).status).toBe(200);
  });

  test("the budget of an organisation is managed by operators, seen by its admins, and refuses calls of all teams", async () => {
    const scope = "organisation:acme";
    const refused = await operator.post("/accounts/wallet/budgets", { ...intrusion, scope });
    expect(refused).toMatchObject({ status: 409, error: { message: expect.stringContaining("lab-wallet") } });
    await operator.post("/accounts", { id: "outside~ads", balance: "10" });
    await suite.ask("team", "create", "evil", "ads", "--account", "outside~ads");
    const created = await operator.post("/accounts/outside~ads/budgets", {
      scope: "organisation:evil",
      period: "total",
      amount: "0",
    });
    const { id } = created.data;
    const path = `/accounts/outside/budgets/${id}`;
    const shownTo = async (person: BrowserClient, account: string) =>
      JSON.stringify((await person.get(`/accounts/${account}/budgets`)).data).includes(id);
    for (const account of ["outside", "outside~ads"]) expect(await shownTo(as("quagga"), account)).toBe(true);
    expect((await as("quagga").post(path, { amount: "5" })).status).toBe(403);
    expect((await as("quagga").post(`${path}/delete`)).status).toBe(403);
    await join(["evil", "uwe", "--team", "ads"]);
    expect(await shownTo(people.get("uwe") ?? operator, "outside~ads")).toBe(false);
    await makeKey(operator, "of outside~ads", "outside~ads");
    for (const name of ["quagga's", "of outside~ads"]) {
      const answer = await post(suite, hello("fixed"), tokenOf(name).key);
      expect([answer.status, await answer.text()], name).toEqual([402, expect.stringContaining("organisation evil")]);
    }
    expect((await operator.post(path, { amount: "5" })).data).toMatchObject({ nanos: "5000000000" });
    expect((await post(suite, hello("fixed"), tokenOf("of outside~ads").key)).status).toBe(200);
    expect((await operator.post(`${path}/delete`)).status).toBe(200);
    expect(await shownTo(operator, "outside~ads")).toBe(false);
  });

  test("nobody gets a link that signs in as a person with more access", async () => {
    const invite = (by: Name, name: string, team: string) => as(by).post("/organisations/acme/members", { name, team });
    for (const name of ["ora", "zoltan"]) expect((await invite("tom", name, "search")).status, name).toBe(403);
    expect((await invite("ora", "quagga", "search")).status).toBe(409);
    // Whoever has the first link must not get later access.
    const first = await signIn(suite, { link: linkIn((await invite("tom", "olaf", "search")).data.url) });
    const unused = linkIn((await invite("tom", "olaf", "search")).data.url);
    expect((await first.get("/session")).status).toBe(401);
    const { url } = (await invite("ora", "olaf", "zebra")).data;
    expect((await signIn(suite, { link: unused })).answer.status).toBe(401);
    const olaf = await signIn(suite, { link: linkIn(url) });
    expect((await olaf.get("/organisations/acme")).data.teams.map(({ id }: { id: string }) => id)).toEqual([
      "search",
      "zebra",
    ]);
    expect((await invite("tom", "olaf", "search")).status).toBe(403);
    for (const team of ["search", "zebra"]) await as("ora").post("/organisations/acme/members/olaf/remove", { team });
  });

  test("an admin of an organisation manages its teams with its accounts, and no other account", async () => {
    const ora = as("ora");
    const accounts = (await ora.get("/accounts")).data.map(({ id }: { id: string }) => id);
    expect(accounts).toEqual(["lab-wallet", "wallet"]);
    expect((await ora.post("/organisations/acme/teams", { id: "new", account: "lab-wallet" })).status).toBe(200);
    for (const account of ["outside", "demo", "no-such-account"])
      expect(await ora.post("/organisations/acme/teams", { id: "stolen", account })).toMatchObject({
        status: 400,
        error: { param: "account" },
      });
    expect((await operator.post("/organisations/acme/teams", { id: "stolen", account: "outside" })).status).toBe(400);
    const calls = (await ora.get("/usage/events?model=fixed")).data.events.map(
      ({ team = "" }: { team?: string }) => team,
    );
    expect(calls.toSorted()).toEqual(["", "search", "zebra"]);
    expect((await ora.post("/organisations/acme/members/ora/remove", {})).status).toBe(403);
    const accountsOf = async (path: string): Promise<readonly string[]> => {
      const { entries } = (await ora.get(path)).data;
      return [...new Set<string>(entries.map(({ account }: { account: string }) => account))].toSorted();
    };
    expect(await accountsOf("/audit")).toEqual(["lab-wallet", "organisation:acme", "wallet"]);
    expect(await accountsOf("/audit?account=wallet")).toEqual(["wallet"]);
    expect(await accountsOf("/audit?account=organisation:acme")).toEqual(["organisation:acme"]);
    for (const path of ["/audit", "/alerts", "/alert-targets"]) {
      for (const other of ["outside", "organisation:evil"])
        expect((await ora.get(`${path}?account=${other}`)).status, `${path} of ${other}`).toBe(404);
      expect((await ora.get(path)).status, path).toBe(200);
      expect((await as("tom").get(path)).status, path).toBe(403);
    }
    const hook = { kind: "slack", url: "https://hooks.slack.com/services/T/B/X", name: "of the lab" };
    const target = await ora.post("/alert-targets", { ...hook, account: "lab-wallet" });
    expect(target.data).toMatchObject({ account: "lab-wallet" });
    await operator.post("/alert-targets", { ...hook, name: "of others", account: "outside" });
    expect((await ora.get("/alert-targets")).data).toMatchObject([{ name: "of the lab" }]);
    expect((await ora.post(`/alert-targets/${target.data.id}/delete`)).status).toBe(200);
    expect((await ora.post("/accounts/wallet/budgets", { ...intrusion, scope: "account" })).status).toBe(403);
  });

  test("a budget of a team limits the calls of its keys, a budget of a member those of the member's keys", async () => {
    const call = async (name: string) => (await post(suite, hello("fixed"), tokenOf(name).key)).status;
    // A call of this model costs a tenth of a cent, and one is in the books.
    const team = `/accounts/wallet/budgets/${budgets.get("team:search")}`;
    expect((await as("ora").post(team, { amount: "0.0015" })).data).toMatchObject({ usedNanos: "1000000" });
    expect([await call("mia's"), await call("given to search"), await call("zoltan's")]).toEqual([402, 402, 200]);
    expect((await as("ora").post(team, { amount: "5" })).status).toBe(200);
    await makeBudget(as("tom"), "wallet", "member:search/mia", "0.0015");
    // The budget includes the calls since its creation.
    expect([await call("mia's"), await call("mia's"), await call("given to search")]).toEqual([200, 402, 200]);
  });

  test("a key of a team neither sees nor deletes the video tasks of other teams", async () => {
    const request = async (name: string, path = "", method = "GET", body?: object) => {
      const answer = await fetch(`${suite.edgeUrl}/v1/videos${path}`, {
        method,
        headers: { authorization: `Bearer ${tokenOf(name).key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, json: JSON.parse(await answer.text()) };
    };
    const { json: createdTask } = await request("zoltan's", "", "POST", { model: "film", prompt: "a fox" });
    const ids = async (name: string) => (await request(name)).json.data.map(({ id }: { id: string }) => id);
    expect(await ids("zoltan's")).toEqual([createdTask.id]);
    expect(await ids("of wallet")).toEqual([createdTask.id]);
    expect(await ids("mia's")).toEqual([]);
    for (const method of ["GET", "DELETE"])
      expect((await request("mia's", `/${createdTask.id}`, method)).status).toBe(404);
    expect((await request("zoltan's", `/${createdTask.id}`)).status).toBe(200);
  });

  test("a person who leaves a team sees nothing more at once, and its keys stay", async () => {
    expect(await suite.ask("org", "remove", "acme", "zoltan", "--team", "zebra")).toEqual({});
    const zoltan = as("zoltan");
    expect((await zoltan.get("/accounts/wallet/tokens")).status).toBe(404);
    expect((await zoltan.get(`/tokens/${tokenOf("zoltan's").id}`)).status).toBe(404);
    expect((await zoltan.get("/usage/events")).data.events).toEqual([]);
    expect((await zoltan.get("/organisations/acme")).data.teams).toEqual([]);
    expect((await post(suite, hello("fixed"), tokenOf("zoltan's").key)).status).toBe(200);
  });

  test("an account is renamed, and a disabled one refuses the calls of its keys until it is enabled", async () => {
    const call = async () => (await post(suite, hello("fixed"), tokenOf("of outside").key)).status;
    expect(await suite.ask("account", "set", "outside", "--name", "Outside Ltd.")).toMatchObject({
      name: "Outside Ltd.",
      disabled: false,
    });
    expect(await call()).toBe(200);
    expect(await suite.ask("account", "disable", "outside")).toMatchObject({ name: "Outside Ltd.", disabled: true });
    expect(await call()).toBe(403);
    expect((await as("quagga").post("/accounts/outside", { disabled: false })).status).toBe(403);
    expect(await suite.ask("account", "enable", "outside")).toMatchObject({ disabled: false });
    expect(await call()).toBe(200);
    expect((await suite.gatectl("account", "disable", "no-such-account")).status).toBe(1);
    const { entries } = (await operator.get("/audit?account=outside")).data;
    expect(entries.find(({ action }: { action: string }) => action === "account.set")).toMatchObject({
      before: { disabled: true },
      after: { disabled: false },
    });
  });

  test("an operator invites members of an account, who see all of it", async () => {
    const { url } = await suite.ask<{ url: string }>("account", "invite", "wallet", "lee", "--role", "operator");
    const lee = await signIn(suite, { link: new URL(url).hash.slice(1) });
    expect(lee.answer.data).toMatchObject({ name: "lee", account: "wallet", role: "operator" });
    expect((await lee.get("/accounts/wallet/members")).data).toMatchObject([{ name: "lee", role: "operator" }]);
    expect((await lee.post("/accounts/wallet/members", { name: "friend" })).status).toBe(403);
    expect((await lee.get("/organisations")).data).toEqual([]);
    expect((await lee.get("/organisations/acme")).status).toBe(403);
    await makeKey(lee, "lee's", "wallet");
    expect((await lee.get(`/tokens/${tokenOf("lee's").id}`)).data).toMatchObject({ member: "lee" });
    expect((await suite.gatectl("account", "invite", "outside", "lee")).status).toBe(1);
    expect(await lee.post("/accounts/wallet/tokens", { group: "default", team: "search" })).toMatchObject({
      status: 400,
      error: { param: "team" },
    });
    // The link would sign in as an existing person, so only an admin may create it. An invitation never raises the
    // person's role.
    expect((await operator.post("/accounts/wallet/members", { name: "lee", role: "operator" })).status).toBe(403);
    const admin = await signInByLink(suite, "admin");
    expect((await admin.post("/operators/lee", { role: "viewer" })).status).toBe(200);
    const again = await admin.post("/accounts/wallet/members", { name: "lee", role: "operator" });
    expect(again.data).toMatchObject({ role: "viewer" });
    const viewer = await signIn(suite, { link: linkIn(again.data.url) });
    expect(viewer.answer.data).toMatchObject({ role: "viewer" });
    expect((await operator.post("/accounts/wallet/members", { name: "operator" })).status).toBe(400);
  });

  test("a key that an operator disables and enables stays within the key that bounds it", async () => {
    const { id } = tokenOf("lee's");
    const { within } = (await operator.get(`/tokens/${id}`)).data;
    expect(within).toMatchObject({ id: expect.any(String) });
    for (const verb of ["disable", "enable"]) expect((await operator.post(`/tokens/${id}/${verb}`)).status).toBe(200);
    expect((await operator.get(`/tokens/${id}`)).data).toMatchObject({ within });
  });
});
