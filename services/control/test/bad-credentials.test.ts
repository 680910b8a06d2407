import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startScriptedServer, startSuite, until, type ScriptedServer, type Suite } from "@modelgate/testkit";
import { signOperator } from "@modelgate/contracts/operator-credential";

/**
 * Credentials of the simulated vendors. Each mistake in them must be reported in one line by `config check`, channel
 * tests and channel states.
 */
const key = "sk-demo-0123456789abcdef";
const signing = "AKIASIMULATEDKEYID:AKIASIMULATEDKEYID-secret";
const [bedrock, vertex] = ["/bedrock?region=us-east-1", "/vertex/v1/projects/p/locations/us-central1"];
const nova = "amazon.nova-pro-v1:0";
const gemini = "gemini-3-flash";

interface Mistake {
  readonly name: string;
  readonly provider: "bedrock" | "vertex";
  readonly path: string;
  readonly key: string;
  /** Answer of the simulated vendor. */
  readonly script?: object;
  /** Pattern of the reported line. */
  readonly vendorMessage: RegExp;
  /** Part of the channel whose state reports the mistake. */
  readonly of: "key" | "model";
}

const mistakes: readonly Mistake[] = [
  {
    name: "wrong-region",
    provider: "bedrock",
    path: "/bedrock?region=eu-west-1",
    key: signing,
    vendorMessage: /Credential should be scoped to a valid region\./,
    of: "key",
  },
  {
    name: "expired-session",
    provider: "bedrock",
    path: bedrock,
    key: `${signing}:expired-session`,
    vendorMessage: /The security token included in the request is expired/,
    of: "key",
  },
  {
    name: "slow-clock",
    provider: "bedrock",
    path: bedrock,
    key: signing,
    script: { clockOffMs: 600_000 },
    vendorMessage: /Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 5 min\.\)/,
    of: "key",
  },
  {
    name: "fast-clock",
    provider: "bedrock",
    path: bedrock,
    key: signing,
    script: { clockOffMs: -600_000 },
    vendorMessage: /Signature not yet current: \d{8}T\d{6}Z is still later than \d{8}T\d{6}Z/,
    of: "key",
  },
  {
    name: "absent-profile",
    provider: "bedrock",
    path: bedrock,
    key: "aws:absent",
    vendorMessage: /AWS credentials are not available for the profile absent: /,
    of: "key",
  },
  {
    name: "expired-token",
    provider: "vertex",
    path: vertex,
    key: "bad-ya29-expired",
    vendorMessage: /Request had invalid authentication credentials\. Expected OAuth 2 access token\./,
    of: "key",
  },
  {
    name: "vertex-clock",
    provider: "vertex",
    path: vertex,
    key: "file:ACCOUNT",
    script: { clockOffMs: 7_200_000 },
    vendorMessage: /The token has expired\./,
    of: "key",
  },
  {
    name: "vertex-region",
    provider: "vertex",
    path: vertex.replace("us-central1", "europe-west99"),
    key: "ya29.simulated",
    vendorMessage: /Publisher Model `.*europe-west99.*` was not found/,
    of: "model",
  },
];

/** Vendor that lists no models or refuses the list, depending on the path. */
let lister: ScriptedServer;
const listers = [
  { id: "lists-nothing", off: /its vendor lists no model/, checked: /returned an empty list of models/ },
  {
    id: "refuses-list",
    off: /its vendor answered 401 .*Invalid API Key/,
    checked: /returned status 401: Invalid API Key/,
  },
] as const;

const folder = mkdtempSync(join(tmpdir(), "credentials-"));
const file = join(folder, "modelgate.yaml");
let suite: Suite;
beforeAll(async () => {
  lister = await startScriptedServer({
    "/empty/openai/v1/models": { body: { data: [] } },
    "/refused/openai/v1/models": { status: 401, body: { error: { message: "Invalid API Key\nprovided" } } },
  });
  const config = (simulator: string) => ({
    groups: { default: { models: ["*"] } },
    models: Object.fromEntries(mistakes.map(({ name }) => [name, { kind: "chat", price: { input: 1, output: 1 } }])),
    channels: [
      ...mistakes.map(({ name, provider, path, key: secret }) => ({
        id: name,
        provider,
        baseUrl: `${simulator}/at/${name}${path}`,
        keys: [secret.replace("ACCOUNT", join(folder, "account.json"))],
        models: { [name]: provider === "bedrock" ? nova : gemini },
      })),
      ...listers.map(({ id }) => ({
        id,
        provider: "groq",
        baseUrl: `${lister.url}/${id === "refuses-list" ? "refused" : "empty"}/openai/v1`,
        keys: ["gsk_0123456789"],
        models: "*",
      })),
    ],
    accounts: { demo: { balance: "10", tokens: [{ key, group: "default" }] } },
  });
  writeFileSync(join(folder, "account.json"), "{}");
  suite = await startSuite({ shape: "apart", config: config("${SIMULATOR_URL}") });
  const account = await fetch(`${suite.simulator.url}/_account/vertex`);
  writeFileSync(join(folder, "account.json"), await account.text());
  writeFileSync(file, JSON.stringify(config(suite.simulator.url)));
  for (const { name, script } of mistakes)
    if (script !== undefined) await suite.simulator.script(name, [{ ...script, repeat: true }]);
  await until("the account's file to be taken up", async () => (await channelOf("vertex-clock"))?.state !== "off");
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  await lister?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly reason?: string;
  readonly vendorMessage?: string;
  readonly affectedModels: readonly { readonly state: string; readonly vendorMessage?: string }[];
  readonly accountCooldowns: readonly { readonly state: string; readonly vendorMessage?: string }[];
}
async function channelOf(id: string): Promise<Shown | undefined> {
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const headers = { authorization: `Bearer ${credential}` };
  const { data }: { readonly data: readonly Shown[] } = JSON.parse(
    await (await fetch(`${suite.controlUrl}/channels`, { headers })).text(),
  );
  return data.find((channel) => channel.id === id);
}

let checked: Promise<{ readonly status: number; readonly lines: readonly string[] }> | undefined;
/** Runs `config check --ask` once for all tests. */
const check = () =>
  (checked ??= suite
    .gatectl("config", "check", file, "--ask")
    .then(({ status, stdout }) => ({ status, lines: stdout.split("\n") })));

const turn = { role: "user", content: "Hi" };
const wires: readonly (readonly [wire: string, path: (model: string) => string, body: (model: string) => object])[] = [
  ["chat", () => "/v1/chat/completions", (model) => ({ model, messages: [turn] })],
  [
    "chat, streamed",
    () => "/v1/chat/completions",
    (model) => ({ model, messages: [turn], stream: true, temperature: 0.1 }),
  ],
  ["responses", () => "/v1/responses", (model) => ({ model, input: "Hello" })],
  ["messages", () => "/v1/messages", (model) => ({ model, max_tokens: 5, messages: [turn] })],
  [
    "content",
    (model) => `/v1beta/models/${model}:generateContent`,
    () => ({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] }),
  ],
];
describe.each(mistakes)("$name", ({ name, vendorMessage, of }) => {
  test("is reported in one line by the live check", async () => {
    const { status, lines } = await check();
    const at = mistakes.findIndex((mistake) => mistake.name === name);
    const own = lines.filter((line) => line.includes(`channels[${at}]`));
    expect([status, own]).toEqual([1, [expect.stringMatching(vendorMessage)]]);
  });

  test("is reported in one line by the channel's test", async () => {
    const { status, stdout } = await suite.gatectl("channel", "test", name);
    const lines = stdout.trim().split("\n");
    expect([status, lines]).toEqual([1, [expect.any(String), expect.stringContaining("fails"), expect.any(String)]]);
    expect(lines[2]).toMatch(vendorMessage);
  });

  test.each(wires)("is not the client's error in %s, and not a 500", async (wire, path, body) => {
    const answer = await fetch(suite.edgeUrl + path(name), {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify(body(name)),
    });
    const text = await answer.text();
    expect([502, 503], text).toContain(answer.status);
    const { error, type } = JSON.parse(text);
    expect(error.message).toEqual(expect.any(String));
    if (wire === "messages") expect(type).toBe("error");
    if (wire === "content") expect(error.code).toBe(answer.status);
    expect(text).not.toMatch(/AKIA|secret|ya29|arn:/);
  });

  test("is reported in one line by the channel's state after these calls", async () => {
    const state = await until("it to be shown", async () => {
      const channel = await channelOf(name);
      const found =
        of === "key" ? [channel] : [...(channel?.affectedModels ?? []), ...(channel?.accountCooldowns ?? [])];
      return found.find((each) => each?.vendorMessage !== undefined);
    });
    expect(state.vendorMessage).toMatch(vendorMessage);
    expect(state.vendorMessage).not.toContain("\n");
    if (of === "key") {
      expect(state).toMatchObject({ state: "no key", reason: expect.stringMatching(/^refused: /) });
      const { stdout } = await suite.gatectl("channel", "list");
      // The table is wide, so each channel is a block of lines.
      const blocks = stdout.split("\n\n").filter((block) => new RegExp(`^CHANNEL +${name}$`, "m").test(block));
      const withoutSpaces = (text = "") => text.replaceAll(/\s/g, "");
      expect(blocks.map(withoutSpaces)).toEqual([expect.stringContaining(withoutSpaces(state.vendorMessage))]);
    }
  });
});

describe.each(listers)("$id", ({ id, off, checked: line }) => {
  test("is reported in one line by the check, the channel's test and its state", async () => {
    const at = mistakes.length + listers.findIndex((lister) => lister.id === id);
    const own = (await check()).lines.filter((each) => each.includes(`channels[${at}]`));
    expect(own).toEqual([expect.stringMatching(line)]);
    expect(await channelOf(id)).toMatchObject({ state: "off", reason: expect.stringMatching(off) });
    const { status, stderr } = await suite.gatectl("channel", "test", id);
    expect([status, stderr.trim().split("\n")]).toEqual([1, [expect.stringMatching(off)]]);
  });

  test("is an unknown model for clients", async () => {
    const answer = await fetch(`${suite.edgeUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "whatever-it-lists", messages: [turn] }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "model_not_found" } }]);
  });
});

test("a valid file passes the live check, and no account is billed for it", async () => {
  const good = join(folder, "good.yaml");
  const channel = (id: string, provider: string, path: string, secret: string, model: string) => ({
    id,
    provider,
    baseUrl: `${suite.simulator.url}/at/${id}${path}`,
    keys: [secret],
    models: { [id]: model },
  });
  const channels = [
    channel("good-nova", "bedrock", bedrock, signing, nova),
    channel("good-claude", "bedrock", bedrock, signing, "us.anthropic.claude-sonnet-4-5-v1:0"),
    channel("good-gemini", "vertex", vertex, `file:${join(folder, "account.json")}`, gemini),
    channel("good-list", "openai", "/openai/v1", "key", "gpt-5-mini"),
  ];
  const models = Object.fromEntries(channels.map(({ id }) => [id, { kind: "chat", price: { input: 1, output: 1 } }]));
  writeFileSync(good, JSON.stringify({ groups: { default: { models: ["*"] } }, models, channels }));
  const { status, stdout } = await suite.gatectl("config", "check", good, "--ask", "--json");
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { ok: true, problems: [] }]);
  // Each vendor got one request without content.
  for (const { id } of channels) {
    const vendorRequests = await suite.simulator.requests(id);
    expect(vendorRequests.map(({ body }) => body)).toEqual([
      expect.stringMatching(/^$|^\{("anthropic_version":"[\w-]+")?\}$/),
    ]);
  }
});
