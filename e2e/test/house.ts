import OpenAI from "openai";
import { signOperator } from "@modelgate/contracts/operator-credential";
import type { Suite } from "@modelgate/testkit";

/** Keys of the tests' accounts. */
export const keys = {
  demo: "sk-demo-0123456789abcdef",
  poor: "sk-poor-0123456789abcdef",
  narrow: "sk-narrow-0123456789abcdef",
  expired: "sk-expired-0123456789abcdef",
  disabled: "sk-disabled-0123456789abcdef",
  slow: "sk-slow-0123456789abcdef",
  single: "sk-single-0123456789abcdef",
  thrifty: "sk-thrifty-0123456789abcdef",
} as const;

/** A channel that is an instance of the simulator of its own. */
export function channel(id: string, models: readonly string[] | Record<string, string>, more: object = {}): object {
  return {
    id,
    provider: "openai",
    baseUrl: `\${SIMULATOR_URL}/at/${id}/openai/v1`,
    keys: [`key-of-${id}`],
    models,
    ...more,
  };
}

/** A house with a price of each kind and a key for every way to be refused. */
export const config = {
  groups: {
    default: { models: ["*"] },
    double: { multiplier: 2, models: ["*"] },
    slow: { models: ["*"], limits: { requestsPerMinute: 2 } },
    single: { models: ["*"], limits: { concurrency: 1 } },
    thrifty: { models: ["*"], limits: { tokensPerMinute: 100 } },
  },
  models: {
    chat: { kind: "chat", ownedBy: "acme", price: { input: 2.5, cachedInput: 1.25, output: 10 } },
    fixed: { kind: "chat", price: { request: 0.001 } },
    renamed: { kind: "chat", price: { input: 2.5, output: 10 } },
    sketch: { kind: "image", price: { image: 0.04 } },
  },
  channels: [channel("main", ["chat", "fixed", "sketch"]), channel("other", { renamed: "vendor-name" })],
  accounts: {
    demo: {
      balance: "10.00",
      tokens: [
        { key: keys.demo, group: "default" },
        { key: keys.narrow, group: "default", models: ["chat"] },
        { key: keys.expired, group: "default", expiresAt: "2020-01-01T00:00:00Z" },
        { key: keys.disabled, group: "default", disabled: true },
        { key: keys.slow, group: "slow" },
        { key: keys.single, group: "single" },
        { key: keys.thrifty, group: "thrifty" },
      ],
    },
    // Covers fifty calls of the fixed price.
    poor: { balance: "0.05", tokens: [{ key: keys.poor, group: "default" }] },
  },
};

/** A second account with money, for what must not depend on the first one's calls. */
export const rival = {
  key: "sk-rival-0123456789abcdef",
  account: { balance: "10.00", tokens: [{ key: "sk-rival-0123456789abcdef", group: "default" }] },
};

let asked = 0;
/** A chat request with words of its own: failures of one and the same body count once. */
export const another = (model: string) => hello(model, `Hello ${++asked}`);

/** The official SDK, as an application sets it up. */
export function sdk(suite: Suite, key: string = keys.demo): OpenAI {
  return new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: key, maxRetries: 0 });
}

export const hello = (model: string, content = "Hello") => ({ model, messages: [{ role: "user" as const, content }] });

/** A chat call over plain HTTP. */
export function post(
  suite: Suite,
  body: unknown,
  key: string = keys.demo,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${suite.edgeUrl}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

export interface Money {
  readonly balanceNanos: string;
  readonly heldNanos: string;
  readonly creditedNanos: string;
  readonly spentNanos: string;
}

/** An account's money as the operator sees it. */
export function money(suite: Suite, account = "demo"): Promise<Money> {
  return read(suite, `/accounts/${account}`);
}

/** What the operator's API says. */
export async function read<Data>(suite: Suite, path: string): Promise<Data> {
  const { data }: { readonly data: Data } = JSON.parse(await operate(suite, "GET", path));
  return data;
}

/** Ends a channel's rest after it has failed. */
export async function enable(suite: Suite, id: string): Promise<void> {
  await operate(suite, "POST", `/channels/${id}/enable`);
}

/** Asks the operator's API itself, which is faster than a process of gatectl. */
async function operate(suite: Suite, method: "GET" | "POST", path: string): Promise<string> {
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
  const answer = await fetch(suite.controlUrl + path, {
    method,
    headers,
    ...(method === "POST" ? { body: "{}" } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
  return text;
}
