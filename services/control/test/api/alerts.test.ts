import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount, writeEpoch } from "@modelgate/accounts";
import { alertTargetPurpose, Failure } from "@modelgate/contracts";
import { makeCipher, type Operator } from "@modelgate/platform";
import { startBackends, type Backends } from "@modelgate/testkit";
import { readNewAlertTarget } from "../../src/api/alert-target.ts";
import { alertRoutes } from "../../src/api/alerts.ts";
import { ledgerAt, type Ledger } from "../../src/ledger.ts";

const secrets = ["a secret of this test alone"] as const;
const internalAddresses = ["http://127.0.0.1:18090"];
const hook = "https://hooks.example.com/services/T0/TOPSECRET";

describe("a new target", () => {
  const cipher = makeCipher(secrets, alertTargetPurpose);
  const create = (body: object) => {
    const { target, sealed, secret } = readNewAlertTarget(body, "acme", { secrets, internalAddresses });
    const hidden: unknown = JSON.parse(cipher.decrypt(sealed, target.id));
    return { target, hidden, secret };
  };

  test.each([
    [{ kind: "slack", url: hook }, { url: hook }, "hooks.example.com"],
    [{ kind: "teams", url: hook }, { url: hook }, "hooks.example.com"],
    [{ kind: "feishu", url: hook, secret: "bot" }, { url: hook, secret: "bot" }, "hooks.example.com"],
    [
      { kind: "pagerduty", secret: "R0UTING" },
      { url: "https://events.pagerduty.com/v2/enqueue", secret: "R0UTING" },
      "events.pagerduty.com",
    ],
    [
      { kind: "email", url: "smtps://ann:pa55@mail.example.com:465", from: "a@b.com", to: "c@d.com, Eve <e@f.com>" },
      { url: "smtps://ann:pa55@mail.example.com:465", from: "a@b.com", to: "c@d.com, Eve <e@f.com>" },
      "c@d.com, Eve <e@f.com> by mail.example.com:465",
    ],
  ])("of %j keeps its secrets encrypted", (body, expected, address) => {
    const { target, hidden, secret } = create({ ...body, name: "ops", alerts: ["budget"] });
    expect(hidden).toEqual(expected);
    expect(secret).toBeUndefined();
    expect(target).toMatchObject({ account: "acme", name: "ops", alerts: ["budget"], address });
    expect(JSON.stringify(target)).not.toMatch(/TOPSECRET|R0UTING|pa55|"bot"/);
  });

  test("of a webhook gets a secret that signs its bodies", () => {
    const { target, hidden, secret } = create({ kind: "webhook", url: hook });
    expect(secret).toMatch(/^whsec_[\w-]{32}$/);
    expect(hidden).toEqual({ url: hook, secret });
    expect(target).toMatchObject({ name: "webhook", address: "hooks.example.com" });
    expect(JSON.stringify(target)).not.toContain(secret);
  });

  test.each([
    [{}, "kind"],
    [{ kind: "sms" }, "kind"],
    [{ kind: "slack" }, "url"],
    [{ kind: "slack", url: "ftp://example.com/" }, "url"],
    [{ kind: "slack", url: "https://ann:pa55@example.com/" }, "url"],
    [{ kind: "slack", url: hook, alerts: ["weather"] }, "alerts"],
    [{ kind: "slack", url: "http://169.254.169.254/latest" }, "url"],
    [{ kind: "slack", url: "http://redis.internal:6379/" }, "url"],
    [{ kind: "slack", url: "http://ledger.internal:18090/" }, "url"],
    [{ kind: "email", url: "smtp://redis.internal:6379", from: "a@b.com", to: "c@d.com" }, "url"],
    [{ kind: "pagerduty" }, "secret"],
    [{ kind: "email", url: hook, from: "a@b.com", to: "c@d.com" }, "url"],
    [{ kind: "email", url: "smtp://mail.example.com", from: "a@b.com" }, "to"],
    [{ kind: "email", url: "smtp://mail.example.com", from: "a@b.com", to: "c@d.com\r\nBcc: x@y.com" }, "to"],
  ])("of %j is refused, with the name of the field", (body, param) => {
    const refusal = (): string => {
      try {
        readNewAlertTarget(body, "", { secrets, internalAddresses });
      } catch (error) {
        if (error instanceof Failure) return error.param ?? "";
        throw error;
      }
      return "nothing";
    };
    expect(refusal()).toBe(param);
  });
});

describe("the routes of alerts", () => {
  let backends: Backends;
  let redis: Redis;
  beforeAll(async () => {
    backends = await startBackends();
    redis = new Redis(backends.redisUrl);
    await writeEpoch(redis, "of this test");
    await createAccount(redis, { id: "acme", balance: 0n });
  });
  afterAll(async () => {
    redis?.disconnect();
    await backends?.[Symbol.asyncDispose]();
  });

  /** Calls a route. Returns the requests to the ledger, or the code of the refusal. */
  async function call(route: string, operator: Operator, more: { id?: string; query?: string; body?: object } = {}) {
    const requests: string[] = [];
    const answers: Readonly<Record<string, unknown>> = {
      "/alert-targets?account=acme": [{ id: "trg_acme" }],
      "/alert-targets?": [{ id: "trg_acme" }, { id: "trg_all" }],
    };
    const read: Ledger["read"] = async (path) => {
      requests.push(path);
      return JSON.parse(JSON.stringify(answers[path] ?? []));
    };
    const write: Ledger["write"] = async (path, body) => {
      const target: unknown = Reflect.get(body, "target");
      const of = String(Reflect.get(Object(target), "account"));
      requests.push(`${path} ${of}${Reflect.get(Object(target), "addedByMember") === true ? " by a member" : ""}`);
      return JSON.parse("{}");
    };
    const ledger: Ledger = { ...ledgerAt("http://127.0.0.1:1", secrets[0]), read, write };
    const { id = "", query = "", body = {} } = more;
    const routes = alertRoutes({ redis, ledger, secrets, internalAddresses });
    try {
      await routes[route]?.({
        operator,
        headers: {},
        address: "",
        params: { id },
        query: new URLSearchParams(query),
        body,
        actor: "test",
      });
      return requests;
    } catch (error) {
      if (error instanceof Failure) return error.code;
      throw error;
    }
  }

  const admin: Operator = { name: "eve", role: "admin" };
  const operator: Operator = { name: "ada", role: "operator" };
  const member: Operator = { name: "bob", role: "operator", account: "acme" };
  const slack = { kind: "slack", url: hook };
  const organisation = (...accounts: readonly string[]): Operator => ({
    name: "ora",
    role: "operator",
    account: "organisation:org",
    access: { organisation: "org", accounts },
  });

  test("an admin adds targets of all alerts, an operator those of any account, a member those of the account", async () => {
    const add = (by: Operator, body: object) => call("POST /alert-targets", by, { body: { ...slack, ...body } });
    expect(await add(admin, {})).toEqual(["/alert-targets "]);
    expect(await add(operator, {})).toBe("permission_denied");
    expect(await add(operator, { account: "acme" })).toEqual(["/alert-targets acme"]);
    expect(await add(operator, { account: "nobody" })).toBe("unknown_url");
    expect(await add(member, {})).toEqual(["/alert-targets acme by a member"]);
    expect(await add(member, { account: "other" })).toEqual(["/alert-targets acme by a member"]);
    expect(await add(organisation("acme"), {})).toEqual(["/alert-targets acme"]);
    expect(await add(organisation("lab", "acme"), { account: "acme" })).toEqual(["/alert-targets acme"]);
    expect(await add(organisation("lab", "acme"), {})).toBe("missing_required_parameter");
    expect(await add(organisation("lab", "acme"), { account: "other" })).toBe("unknown_url");
    expect(await add(organisation(), {})).toBe("missing_required_parameter");
  });

  test("a member tests and deletes the account's targets only", async () => {
    for (const verb of ["test", "delete"]) {
      const route = `POST /alert-targets/{id}/${verb}`;
      expect(await call(route, operator, { id: "trg_all" })).toContain(`/alert-targets/trg_all/${verb} undefined`);
      expect(await call(route, member, { id: "trg_acme" })).toContain(`/alert-targets/trg_acme/${verb} undefined`);
      expect(await call(route, member, { id: "trg_all" })).toBe("unknown_url");
      expect(await call(route, organisation("acme"), { id: "trg_acme" })).toContain(
        `/alert-targets/trg_acme/${verb} undefined`,
      );
      for (const other of [organisation("lab"), organisation()])
        expect(await call(route, other, { id: "trg_acme" })).toBe("unknown_url");
    }
  });

  test("a member sees and retries deliveries to the account's targets only", async () => {
    expect(await call("GET /alerts", operator, { query: "state=dead&limit=5" })).toEqual([
      "/alerts?state=dead&limit=5",
    ]);
    expect(await call("GET /alerts", member, { query: "account=acme" })).toEqual([
      "/alerts?targets-of=acme&account=acme",
    ]);
    expect(await call("GET /alerts", organisation("lab", "acme"), { query: "account=lab,acme" })).toEqual([
      "/alerts?targets-of=lab%2Cacme&account=lab%2Cacme",
    ]);
    expect(await call("GET /alerts", organisation(), {})).toEqual(["/alerts?targets-of=organisation%3Aorg"]);
    expect(await call("GET /alerts", operator, { query: "kind=weather" })).toBe("invalid_value");
    expect(await call("POST /alerts/{id}/retry", member, { id: "alt_1" })).toEqual([
      "/alerts/alt_1/retry?targets-of=acme undefined",
    ]);
  });
});
