import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { requestControl, type BrowserClient, browserWith, post, signIn, signInByLink } from "./people.ts";
import { config as baseConfig, hello, keys, rival } from "../../../../libs/relay/test/config.ts";

const password = "correct horse battery staple";

describe("permissions of control's API", () => {
  let suite: Suite;
  let admin: BrowserClient;
  beforeAll(async () => {
    suite = await startSuite({ config: { ...baseConfig, accounts: { ...baseConfig.accounts, rival: rival.account } } });
    await until("the accounts", async () => (await post(suite, hello("chat"))).status === 200);
    admin = await signInByLink(suite, "admin");
    for (const [name, role, account] of [
      ["ada", "admin", null],
      ["olga", "operator", null],
      ["vic", "viewer", null],
      ["mia", "operator", "demo"],
      ["max", "viewer", "demo"],
    ])
      await admin.post("/operators", { name, role, account, password });
  });
  afterAll(() => suite?.[Symbol.asyncDispose]());

  const as = async (name: string): Promise<BrowserClient> => {
    const browser = await signIn(suite, { name, password });
    expect(browser.answer.status).toBe(200);
    return browser;
  };

  test("a password signs in; a wrong one and an unknown name are refused with the same message", async () => {
    const { answer } = await signIn(suite, { name: "ada", password });
    expect([answer.status, answer.data]).toEqual([200, { name: "ada", role: "admin", account: null, email: null }]);
    expect(answer.headers.get("set-cookie")).toMatch(/HttpOnly; SameSite=Strict/);
    const wrong = (await signIn(suite, { name: "ada", password: "another password" })).answer;
    const unknown = (await signIn(suite, { name: "stranger", password })).answer;
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.error.message).toBe(unknown.error.message);
    const short = await admin.post("/operators", { name: "short", password: "too short" });
    expect(short).toMatchObject({ status: 400, error: { param: "password" } });
  });

  test("passwords and keys are stored only as hashes", async () => {
    const { data } = await admin.get("/operators");
    expect(data).toContainEqual(expect.objectContaining({ name: "ada", hasPassword: true }));
    const everything = JSON.stringify([data, await suite.ask("audit", "list")]);
    expect(everything).not.toContain(password);
    expect(everything).not.toContain("argon2");
  });

  test("each role has exactly its permissions", async () => {
    const tries = [
      ["GET", "/accounts", ["viewer", "operator", "admin"]],
      ["POST", "/accounts/demo/credits", ["operator", "admin"]],
      ["POST", "/configuration", ["admin"]],
      ["GET", "/operators", ["admin"]],
      ["POST", "/sign-in-links", ["admin"]],
      ["GET", "/sessions", ["admin"]],
    ] as const;
    for (const name of ["vic", "olga", "ada"]) {
      const browser = await as(name);
      const { role } = (await browser.get("/session")).data;
      for (const [method, path, roles] of tries) {
        const { status } = method === "GET" ? await browser.get(path) : await browser.post(path);
        expect(status === 403, `${role} ${method} ${path}: ${status}`).toBe(!roles.some((each) => each === role));
      }
      expect((await browser.post("/session/end")).status).toBe(200);
      expect((await browser.get("/session")).status).toBe(401);
    }
  });

  test("a member sees and manages one account, and no other is visible", async () => {
    const [mia, max] = [await as("mia"), await as("max")];
    expect((await mia.get("/accounts")).data.map(({ id }: { id: string }) => id)).toEqual(["demo"]);
    const [foreign] = await suite.ask<{ id: string }[]>("token", "list", "rival");
    for (const path of [
      "/accounts/rival",
      "/accounts/rival/tokens",
      `/tokens/${foreign?.id ?? ""}`,
      "/usage?account=rival",
      "/usage/events?account=rival",
      "/usage/export?account=rival",
      "/audit?account=rival",
      "/ledger/verification?account=rival",
    ])
      expect((await mia.get(path)).status, path).toBe(404);
    const tokenPath = `/tokens/${foreign?.id ?? ""}`;
    for (const path of ["/accounts/rival/tokens", tokenPath, `${tokenPath}/disable`])
      expect((await mia.post(path, { group: "default" })).status, path).toBe(404);
    // Times by tag cannot be read for one account, so members may not read them.
    const times = await mia.get("/usage/first-bytes?by=tag:team");
    expect([times.status, times.error.param]).toEqual([400, "account"]);
    for (const path of ["/channels", "/configuration", "/operators", "/sessions", "/vendors", "/operator-keys"])
      expect((await mia.get(path)).status, path).toBe(403);
    for (const path of ["/accounts", "/accounts/demo/credits", "/configuration/edits", "/sign-in-links"])
      expect((await mia.post(path)).status, path).toBe(403);
    expect((await suite.ask<object[]>("token", "list", "rival"))[0]).toMatchObject({ disabled: false });

    const created = await mia.post("/accounts/demo/tokens", { group: "default", name: "mine" });
    expect(created.data.key).toMatch(/^sk-/);
    expect((await mia.post("/accounts/demo/tokens", { group: "double" })).error).toMatchObject({ param: "group" });
    const own = `/tokens/${created.data.id}`;
    expect((await mia.post(own, { models: ["chat"] })).data).toMatchObject({ name: "mine", models: ["chat"] });
    expect((await mia.post(own, { group: "double" })).error).toMatchObject({ param: "group" });
    expect((await mia.post(own, { models: ["absent"] })).error).toMatchObject({ param: "models" });
    expect((await max.post(own, { models: null })).status).toBe(403);
    expect((await mia.post(`/tokens/${created.data.id}/disable`)).data).toMatchObject({ disabled: true });
    expect((await max.post(`/tokens/${created.data.id}/enable`)).status).toBe(403);
    expect((await max.get("/accounts/demo")).data).toMatchObject({ id: "demo" });
  });

  test("a member can restrict an operator's settings, and never extend them", async () => {
    const limits = {
      group: "default",
      models: ["chat", "fixed"],
      dollarsPerDay: "5",
      expiresAt: "2090-01-01T00:00:00Z",
    };
    expect((await admin.post("/accounts", { id: "bounded", balance: "10" })).status).toBe(200);
    const { id } = (await admin.post("/accounts/bounded/tokens", { ...limits, name: "given" })).data;
    await admin.post("/operators", { name: "bea", role: "operator", account: "bounded", password });
    const bea = await as("bea");
    const narrowed = { models: ["chat"], dollarsPerDay: "4", dollarsPerMonth: "50", expiresAt: "2080-01-01T00:00:00Z" };
    expect((await bea.post(`/tokens/${id}`, narrowed)).data).toMatchObject({
      models: ["chat"],
      budget: { perDay: "4000000000", perMonth: "50000000000" },
    });
    const mine = (await bea.post("/accounts/bounded/tokens", { ...narrowed, group: "default", name: "mine" })).data;
    const wider = [
      ["dollarsPerDay", "6", "dollarsPerDay must be at most 4"],
      ["dollarsPerDay", null, "dollarsPerDay must be at most 4"],
      ["dollarsPerMonth", "51", "dollarsPerMonth must be at most 50"],
      ["models", null, "models must be among chat: an operator set them."],
      ["expiresAt", null, "expiresAt must not be after 2080-01-01"],
      ["expiresAt", "2091-01-01T00:00:00Z", "expiresAt must not be after 2080-01-01"],
      ["group", "double", "group must be one that operators assigned to the account, such as default."],
    ] as const;
    for (const [param, value, text] of wider)
      for (const key of [id, mine.id])
        expect(await bea.post(`/tokens/${key}`, { [param]: value }), `${param} ${value}`).toMatchObject({
          status: 400,
          error: { param, message: expect.stringContaining(text) },
        });
    const unbounded = { group: "default", models: ["chat"], expiresAt: "2080-01-01T00:00:00Z" };
    expect(await bea.post("/accounts/bounded/tokens", unbounded)).toMatchObject({ error: { param: "dollarsPerDay" } });
    // A member may change a member's key until an operator has changed it.
    expect((await admin.post(`/tokens/${id}`, { dollarsPerDay: "9", dollarsPerMonth: null })).status).toBe(200);
    expect((await bea.post(`/tokens/${mine.id}`, { dollarsPerDay: "8", dollarsPerMonth: null })).status).toBe(200);
    expect((await bea.post(`/tokens/${mine.id}/disable`)).status).toBe(200);
    expect((await bea.post(`/tokens/${mine.id}/enable`)).status).toBe(200);
    expect((await admin.post(`/tokens/${mine.id}/disable`)).status).toBe(200);
    expect(await bea.post(`/tokens/${mine.id}/enable`)).toMatchObject({ status: 400, error: { param: "disabled" } });
    expect(await bea.post(`/tokens/${mine.id}`, { dollarsPerDay: "9" })).toMatchObject({
      error: { param: "dollarsPerDay" },
    });
    expect(await bea.post(`/tokens/${id}/expire`, { at: "2091-01-01" })).toMatchObject({
      error: { param: "expiresAt" },
    });
  });

  test("a member's usage is always that of their account", async () => {
    const headers = { authorization: `Bearer ${rival.key}`, "content-type": "application/json" };
    const body = JSON.stringify(hello("chat"));
    expect((await fetch(`${suite.edgeUrl}/v1/chat/completions`, { method: "POST", headers, body })).status).toBe(200);
    await until(
      "both accounts' calls",
      async () => (await suite.ask<object[]>("usage", "--by", "account")).length === 2,
    );
    const mia = await as("mia");
    const { data } = await mia.get("/usage?by=account");
    expect(data.map(({ by }: { by: object }) => by)).toEqual([{ account: "demo" }]);
    const { events } = (await mia.get("/usage/events")).data;
    expect(new Set(events.map(({ accountId }: { accountId: string }) => accountId))).toEqual(new Set(["demo"]));
    expect((await mia.get("/usage/export?format=csv")).data).not.toContain("rival");
  });

  test("the limits of an account's members apply to all their keys together, and only active keys count", async () => {
    await admin.post("/accounts", { id: "shared", balance: "10" });
    const keyFields = { group: "default", models: ["fixed"], dollarsPerDay: "0.0025" };
    const { id } = (await admin.post("/accounts/shared/tokens", keyFields)).data;
    await admin.post("/operators", { name: "sam", role: "operator", account: "shared", password });
    const sam = await as("sam");
    const make = async () => (await sam.post("/accounts/shared/tokens", keyFields)).data;
    const [one, two, three] = [await make(), await make(), await make()];
    const call = async (key: string) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const body = JSON.stringify(hello("fixed"));
      return (await fetch(`${suite.edgeUrl}/v1/chat/completions`, { method: "POST", headers, body })).status;
    };
    // A call of this model costs a tenth of a cent.
    expect(await call(one.key)).toBe(200);
    expect(await call(two.key)).toBe(200);
    expect(await call(three.key)).toBe(402);
    expect((await admin.post(`/tokens/${id}`, { dollarsPerDay: "0.0035" })).status).toBe(200);
    await until("the limit to be larger", async () => (await call(three.key)) === 200);
    expect(await call(one.key)).toBe(402);

    expect((await sam.post(`/tokens/${one.id}/disable`)).status).toBe(200);
    expect((await admin.post(`/tokens/${id}/disable`)).status).toBe(200);
    for (const path of ["/accounts/shared/tokens", `/tokens/${one.id}/enable`])
      expect(await sam.post(path, keyFields), path).toMatchObject({ status: 400, error: { param: "group" } });
  });

  test("an admin can end sessions, and a change of an operator ends that operator's", async () => {
    const vic = await as("vic");
    const open = (await admin.get("/sessions")).data.filter(({ name }: { name: string }) => name === "vic");
    expect(open).toHaveLength(1);
    expect((await admin.post(`/sessions/${open[0].id}/end`)).data).toEqual({ ended: 1 });
    expect((await vic.get("/session")).status).toBe(401);
    const again = await as("vic");
    expect((await admin.post("/operators/vic", { disabled: true })).data).toMatchObject({ disabled: true });
    expect((await again.get("/session")).status).toBe(401);
    expect((await signIn(suite, { name: "vic", password })).answer.status).toBe(401);
    expect((await admin.post("/operators/vic", { disabled: false })).status).toBe(200);
    expect((await (await as("ada")).post("/operators/ada", { role: "viewer" })).status).toBe(400);
  });

  test("disabling an operator ends the operator's links, the links that they created, and sign-ins in progress", async () => {
    await admin.post("/operators", { name: "zoe", role: "admin", password });
    const zoe = await as("zoe");
    const linkBy = async (maker: BrowserClient, name: string) =>
      new URL((await maker.post("/sign-in-links", { name, role: "admin" })).data.url, suite.controlUrl).hash.slice(1);
    const links = [await linkBy(admin, "zoe"), await linkBy(zoe, "zoe"), await linkBy(zoe, "somebody")];
    const early = await signIn(suite, { link: await linkBy(zoe, "somebody") });
    expect((await early.get("/operators")).status).toBe(200);
    // These passwords are being hashed while the operator is disabled.
    const racing = Array.from({ length: 6 }, () => signIn(suite, { name: "zoe", password }));
    expect((await admin.post("/operators/zoe", { disabled: true })).data).toMatchObject({ disabled: true });
    for (const link of links) expect((await signIn(suite, { link })).answer.status).toBe(401);
    for (const browser of [zoe, early, ...(await Promise.all(racing))])
      expect((await browser.get("/operators")).status).toBe(401);
  });

  test.each(["secret", "key terraform"])(
    "an operator cannot have the name %s, which the audit reserves",
    async (name) => {
      expect(await admin.post("/operators", { name, password })).toMatchObject({ error: { param: "name" } });
      expect(await admin.post("/sign-in-links", { name })).toMatchObject({ error: { param: "name" } });
    },
  );

  test("the system page lists every service with its version, the stores and the event streams", async () => {
    const { data } = await until("the processes to be seen", async () => {
      const answer = await admin.get("/system");
      return answer.data.processes.length > 0 && answer;
    });
    const names = data.processes.flatMap(({ services }: { services: string[] }) => services);
    expect(names).toEqual(
      expect.arrayContaining(["edge", "text", "media", "audio", "video", "realtime", "ledger", "control"]),
    );
    expect(data.processes).toMatchObject(data.processes.map(() => ({ version: "0.1.0", isGone: false, problems: {} })));
    expect(data).toMatchObject({ version: "0.1.0", redis: { ok: true }, nats: { ok: true }, books: { ok: true } });
    const streams = data.streams.map(({ stream }: { stream: string }) => stream);
    expect(streams).toEqual(expect.arrayContaining(["USAGE", "CREDITS", "TASKS"]));
  });

  test("answers are not cached, and browsers do not guess their type", async () => {
    for (const path of ["/accounts", "/usage/export?format=csv", "/no-such-path"]) {
      const { headers } = await admin.get(path);
      expect([headers.get("cache-control"), headers.get("x-content-type-options")], path).toEqual([
        "no-store",
        "nosniff",
      ]);
    }
  });

  test("each sign-in creates a new session and ends the previous one", async () => {
    const first = await as("olga");
    const second = await requestControl(suite, "POST", "/session", {
      body: { name: "olga", password },
      headers: { origin: suite.controlUrl, cookie: first.cookie },
    });
    const cookie = (second.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    expect(cookie).not.toBe(first.cookie);
    expect((await first.get("/session")).status).toBe(401);
    expect((await browserWith(suite, cookie).get("/session")).status).toBe(200);
  });

  test("an automation key works with its role until it is deleted", async () => {
    const created = await admin.post("/operator-keys", { name: "terraform", role: "operator", account: null });
    const { key, id } = created.data;
    const headers = { authorization: `Bearer ${key}` };
    expect((await requestControl(suite, "GET", "/accounts", { headers })).status).toBe(200);
    expect((await requestControl(suite, "GET", "/operators", { headers })).status).toBe(403);
    const described = await fetch(`${suite.controlUrl}/openapi.json`, { headers });
    expect(await described.json()).toMatchObject({ openapi: "3.1.0", info: { title: "modelgate control" } });
    const body = { id: "by-key", balance: "1.00" };
    expect((await requestControl(suite, "POST", "/accounts", { headers, body })).status).toBe(200);
    const audit = await suite.ask<{ actor: string }[]>("audit", "list", "by-key");
    expect(audit[0]?.actor).toBe("key terraform");
    expect(JSON.stringify((await admin.get("/operator-keys")).data)).not.toContain(key);
    expect((await admin.post(`/operator-keys/${id}/delete`)).status).toBe(200);
    await until(
      "the key to be refused",
      async () => (await requestControl(suite, "GET", "/accounts", { headers })).status === 401,
    );
    const guessed = { authorization: "Bearer mgo_guessed" };
    const refused = await requestControl(suite, "GET", "/accounts", { headers: guessed });
    expect([refused.status, refused.error.message]).toEqual([401, expect.stringContaining("automation key")]);
  });

  test.each([
    ["another site", "https://evil.example"],
    ["a sandboxed frame", "null"],
  ])("a sign-in by password and a change from %s are refused", async (_, origin) => {
    const body = { name: "ada", password };
    expect((await requestControl(suite, "POST", "/session", { body, headers: { origin } })).status).toBe(403);
    expect((await admin.post("/accounts", { id: "cross-site" }, { origin })).status).toBe(403);
    expect((await admin.get("/accounts/cross-site")).status).toBe(404);
  });

  test("gatectl creates, changes, lists and disables operators", async () => {
    expect(await suite.ask("operator", "create", "gus", "--role", "operator")).toMatchObject({ hasPassword: false });
    expect(await suite.ask("operator", "set", "gus", "--role", "viewer")).toMatchObject({ role: "viewer" });
    expect(await suite.ask("operator", "disable", "gus")).toMatchObject({ disabled: true });
    expect((await suite.ask<{ name: string }[]>("operator", "list")).map(({ name }) => name)).toContain("gus");
    expect((await suite.gatectl("operator", "create", "gus")).status).toBe(1);
    expect((await suite.gatectl("operator", "create", "p", "--password", "on-the-command-line")).status).toBe(1);
    expect((await suite.gatectl("operator", "create", "m", "--account", "demo", "--role", "admin")).status).toBe(1);
  });

  test("a formula in a text is exported as text, and HTML in an account's name is shown as text", async () => {
    const headers = {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "application/json",
      "x-request-id": "=1+1",
    };
    const body = JSON.stringify({ ...hello("chat"), user: "=cmd|' /C calc'!A0" });
    const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, { method: "POST", headers, body });
    expect(answer.status).toBe(200);
    const csv = await until("the call in the export", async () => {
      const { data } = await admin.get("/usage/export?format=csv");
      return String(data).includes("cmd|") && String(data);
    });
    const cells = csv.split(/\r\n|,/).map((cell) => cell.replace(/^"/, ""));
    expect(cells.filter((cell) => /^[=+@]/.test(cell))).toEqual([]);
    expect(cells.some((cell) => cell.startsWith("'=cmd"))).toBe(true);
    const name = "<img src=x onerror=alert(1)>";
    expect((await admin.post("/accounts", { id: "html", name })).data).toMatchObject({ name });
    const shown = await requestControl(suite, "GET", "/accounts/html", { headers: { cookie: admin.cookie } });
    expect(shown.headers.get("content-type")).toMatch(/^application\/json/);
  });

  test("too many sign-ins for one name from one address are refused; other names and links are accepted from it", async () => {
    const guess = (name: string) => signIn(suite, { name, password: "a wrong password" });
    const statuses = [];
    for (let at = 0; at < 12; at++) statuses.push((await guess("max")).answer.status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    expect(statuses.slice(10)).toEqual([429, 429]);
    const refused = (await signIn(suite, { name: "max", password })).answer;
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await as("olga");
    expect((await signInByLink(suite, "viewer")).answer.status).toBe(200);
    expect((await admin.get("/session")).status).toBe(200);
  });
});
