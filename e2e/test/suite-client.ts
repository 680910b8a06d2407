import OpenAI from "openai";
import { signOperator } from "@modelgate/contracts/operator-credential";
import { until, type Limits, type Shape, type Suite } from "@modelgate/testkit";
import { keys } from "../../libs/relay/test/config.ts";

export { another, channel, config, hello, keys, rival } from "../../libs/relay/test/config.ts";

/** Creates a client of the `openai` SDK. */
export function sdk(suite: Suite, key: string = keys.demo): OpenAI {
  return new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: key, maxRetries: 0 });
}

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

export function money(suite: Suite, account = "demo"): Promise<Money> {
  return read(suite, `/accounts/${account}`);
}

/** Waits until nothing is held, and returns the account's amounts. */
export function settledMoney(suite: Suite, account = "demo"): Promise<Money> {
  return until(`all holds of ${account} to be settled`, async () => {
    const found = await money(suite, account);
    return found.heldNanos === "0" && found;
  });
}

export async function read<Data>(suite: Suite, path: string): Promise<Data> {
  const { data }: { readonly data: Data } = JSON.parse(await operate(suite, "GET", path));
  return data;
}

/** Ends a channel's cooldowns. */
export async function enable(suite: Suite, id: string): Promise<void> {
  await operate(suite, "POST", `/channels/${id}/enable`);
}

/** Calls the operator's API, because a process of gatectl would be slower. */
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

const patient = { redis: { timeoutMs: 10_000 } };
/** Limits with which a stall of Redis fails no call. The services of one process share one connection. */
export const patientWithRedis = { relay: patient, edge: patient, ledger: patient, control: patient } satisfies Limits;

/** Starts a suite in each layout, at the same time. */
export async function startInShapes(start: (shape: Shape) => Promise<Suite>): Promise<Readonly<Record<Shape, Suite>>> {
  const [one, apart] = await Promise.all([start("one"), start("apart")]);
  return { one, apart };
}
