import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Redis } from "ioredis";
import OpenIdServer from "oidc-provider";
import { Type } from "typebox";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { recordParser } from "@modelgate/contracts";
import { createLogger } from "@modelgate/platform";
import { startBackends, startHttpServer, type Backends } from "@modelgate/testkit";
import { ConsoleCookies } from "../../src/console/cookie.ts";
import { Sessions } from "../../src/console/sessions.ts";
import { ledgerAt } from "../../src/ledger.ts";
import { People } from "../../src/operators/people.ts";
import { openProvider, withProvider } from "../../src/operators/provider.ts";

/** Cookies by origin. */
type Jar = Map<string, Map<string, string>>;

const groups: Record<string, readonly string[]> = {
  ada: ["platform"],
  pat: ["platform"],
  kim: ["platform"],
  max: ["platform"],
  mia: ["acme", "others"],
  sue: ["others"],
  ben: ["platform"],
  eve: ["platform"],
};
const readChange = recordParser("change", Type.Object({ name: Type.Optional(Type.String()), record: Type.Object({}) }));
/** People with a verified e-mail address. */
const verified: readonly string[] = ["ada"];

describe("signing in through a local OpenID provider", () => {
  let backends: Backends;
  let redis: Redis;
  let sessions: Sessions;
  const servers = new AsyncDisposableStack();
  let consoleUrl = "";
  let issuerName = "";
  /** Records of people in the books, by name. */
  const records = new Map<string, object>();
  beforeAll(async () => {
    backends = await startBackends();
    redis = new Redis(backends.redisUrl);
    sessions = new Sessions(redis);
    let handler: RequestListener = () => undefined;
    consoleUrl = await serve((request, response) => handler(request, response));
    let answer: RequestListener = () => undefined;
    const issuer = await serve((request, response) => answer(request, response));
    const server = new OpenIdServer(issuer, {
      clients: [
        {
          client_id: "modelgate",
          client_secret: "a-secret-of-this-test-alone",
          redirect_uris: [`${consoleUrl}/session/provider/callback`],
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          email: `${id}@example.com`,
          email_verified: verified.includes(id),
          groups: [...(groups[id] ?? [])],
        }),
      }),
    });
    answer = server.callback();
    const settings = {
      issuer,
      clientId: "modelgate",
      clientSecret: "a-secret-of-this-test-alone",
      groupsClaim: "groups",
      roles: "platform=admin,acme=operator@acme",
    };
    issuerName = issuer.replace("http://", "");
    const disabled = ["ben@example.com", `oidc:eve@${issuerName}`];
    for (const name of disabled)
      records.set(name, { role: "viewer", disabled: true, createdAt: new Date().toISOString() });
    const people = new People(ledgerAt(await serve(answerAsLedger), "a-secret-of-this-test-alone"));
    const cookies = new ConsoleCookies(consoleUrl);
    const { log } = createLogger("control", "silent");
    const provider = openProvider(settings, { sessions, people, cookies, consoleUrl, proxies: 1, log });
    handler = withProvider((_, response) => void response.writeHead(404).end(), provider);
  });
  afterAll(async () => {
    await servers.disposeAsync();
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  /** Reads and writes records of people, as the ledger does. */
  async function answerAsLedger(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://ledger.example");
    const written = request.method === "POST" ? readChange(await text(request)) : undefined;
    const name = written?.name ?? searchParams.get("name") ?? decodeURIComponent(pathname.split("/")[2] ?? "");
    if (written !== undefined) records.set(name, { ...records.get(name), ...written.record });
    const found = records.has(name) ? [{ name, record: records.get(name) }] : [];
    response.end(JSON.stringify({ data: written === undefined ? found : { created: true } }));
  }

  async function serve(handler: RequestListener): Promise<string> {
    return servers.use(await startHttpServer(handler)).url;
  }

  /** Makes a request with the stored cookies, and stores new ones. */
  async function step(jar: Jar, url: URL, form?: Record<string, string>): Promise<Response> {
    const cookies = jar.get(url.origin) ?? new Map<string, string>();
    const forwarded = { "x-forwarded-for": "192.0.2.7" };
    const headers = { ...forwarded, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
    const post = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) };
    const answer = await fetch(url, { redirect: "manual", headers, ...post });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    jar.set(url.origin, cookies);
    return answer;
  }

  /** Signs in through the provider's pages. Returns the last address and the cookies. */
  async function signIn(login: string, jar: Jar = new Map()): Promise<{ readonly end: URL; readonly jar: Jar }> {
    let url = new URL("/session/provider", consoleUrl);
    let form: Record<string, string> | undefined;
    for (let steps = 0; steps < 20 && !url.pathname.startsWith("/console/"); steps++) {
      const answer = await step(jar, url, form);
      form = undefined;
      const location = answer.headers.get("location");
      if (location !== null) {
        url = new URL(location, url);
        continue;
      }
      const page = await answer.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? "";
      const action = /action="([^"]+)"/.exec(page)?.[1] ?? "";
      expect(prompt, `${answer.status} ${url.href}: ${page.slice(0, 300)}`).not.toBe("");
      url = new URL(action, url);
      form = { prompt, login, password: "any" };
    }
    return { end: url, jar };
  }

  const sessionIn = (jar: Jar): string => jar.get(consoleUrl)?.get("modelgate_session") ?? "";

  test.each([
    ["ada", { role: "admin", account: undefined, email: "ada@example.com" }],
    ["mia", { role: "operator", account: "acme", email: undefined }],
  ])(
    "%s has the role of their group, known by issuer and subject; only a verified e-mail is shown",
    async (login, expected) => {
      const { end, jar } = await signIn(login);
      expect(end.pathname).toBe("/console/");
      const name = `oidc:${login}@${issuerName}`;
      expect({ account: undefined, email: undefined, ...(await sessions.find(sessionIn(jar))) }).toEqual({
        name,
        ...expected,
      });
      expect([...records.keys()]).toContain(name);
      await sessions.revoke(name);
      expect(await sessions.find(sessionIn(jar))).toBeUndefined();
    },
  );

  test("a person whose role changes, or who loses it, loses the earlier sessions", async () => {
    const before = sessionIn((await signIn("pat")).jar);
    groups["pat"] = ["acme"];
    const [changed, unchanged] = [await signIn("pat"), await signIn("pat")].map(({ jar }) => sessionIn(jar));
    expect(await sessions.find(before)).toBeUndefined();
    for (const session of [changed ?? "", unchanged ?? ""])
      expect(await sessions.find(session)).toMatchObject({ role: "operator", account: "acme" });
    groups["pat"] = ["others"];
    expect((await signIn("pat")).end.pathname).toBe("/console/sign-in");
    for (const session of [changed ?? "", unchanged ?? ""]) expect(await sessions.find(session)).toBeUndefined();
  });

  test("earlier sessions also end if the first revocation failed, or if another control has recorded the role", async () => {
    const name = `oidc:max@${issuerName}`;
    const before = sessionIn((await signIn("max")).jar);
    groups["max"] = ["acme"];
    vi.spyOn(sessions, "revoke").mockRejectedValueOnce(new Error("Redis does not answer"));
    expect((await signIn("max")).end.pathname).toBe("/console/sign-in");
    const second = sessionIn((await signIn("max")).jar);
    expect(await sessions.find(before)).toBeUndefined();
    groups["max"] = ["platform"];
    records.set(name, { ...records.get(name), role: "admin", account: null });
    expect((await signIn("max")).end.pathname).toBe("/console/");
    expect(await sessions.find(second)).toBeUndefined();
  });

  test("a session is listed with the address that the proxy saw", async () => {
    await signIn("kim");
    const ofKim = (await sessions.list()).filter(({ name }) => name.includes("kim"));
    expect(ofKim).toMatchObject([{ from: "192.0.2.7" }]);
  });

  test.each([
    ["sue", "no_role"],
    ["ben", "not_permitted"],
    ["eve", "not_permitted"],
  ])("%s is refused", async (login, problem) => {
    const { end, jar } = await signIn(login);
    expect([end.pathname, end.searchParams.get("problem")]).toEqual(["/console/sign-in", problem]);
    expect(sessionIn(jar)).toBe("");
  });

  test("a callback that did not start in this browser does not sign in", async () => {
    const jar: Jar = new Map();
    const forged = new URL("/session/provider/callback?code=stolen&state=guessed", consoleUrl);
    const answer = await step(jar, forged);
    expect(answer.headers.get("location")).toContain("/console/sign-in?problem=");
    await step(jar, new URL("/session/provider", consoleUrl));
    expect((await step(jar, forged)).headers.get("location")).toContain("/console/sign-in?problem=");
    expect(sessionIn(jar)).toBe("");
  });
});
