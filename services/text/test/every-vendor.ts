import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { startArea, type Area, type AreaOptions } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { channelOf, vendors } from "./vendors.ts";

/** US dollars per million tokens. All prices are different, so that the bill shows tokens of a wrong unit. */
export const price = { input: 2, cachedInput: 0.5, cacheWrite: 3, output: 8 } as const;

export const keyOf = (account: string): string => `sk-${account}-0123456789abcdef`;

export interface Additions {
  readonly models?: Readonly<Record<string, object>>;
  readonly channels?: readonly object[];
  /** Accounts in addition to `demo`. The key of each is `keyOf(name)`. */
  readonly accounts?: readonly string[];
  /** Groups by account name, for the keys of that account. Other keys are in a group without limits. */
  readonly groups?: Readonly<Record<string, object>>;
}

/** Returns a configuration with a model for every vendor, which has the vendor's name. */
export function configOf({ models = {}, channels = [], accounts = [], groups = {} }: Additions): object {
  const accountEntry = (name: string) =>
    [name, { balance: "100", tokens: [{ key: keyOf(name), group: name in groups ? name : "default" }] }] as const;
  // Agents send a search with every request, and on one wire image output is a tool.
  const chat = { kind: "chat", price: { ...price, tools: { webSearch: 0.01, imageGeneration: 0.04 } } };
  return {
    groups: { default: { models: ["*"] }, ...groups },
    models: { ...Object.fromEntries(vendors.map(({ name }) => [name, chat])), ...models },
    channels: [
      ...vendors.map((vendor) => channelOf(vendor, vendor.name, { [vendor.name]: vendor.model })),
      ...channels,
    ],
    accounts: Object.fromEntries(["demo", ...accounts].map(accountEntry)),
  };
}

/** Time in ms to wait for a cancellation. A busy machine may need longer than the product allows. */
export const cancelWaitMs = 60_000;

export function startText({
  limits = {},
  env = {},
  ...additions
}: Additions & Pick<AreaOptions, "limits" | "env"> = {}): Promise<Area> {
  return startArea(service, { config: configOf(additions), limits, env });
}

/** Returns an account's balance in nano-dollars after all its holds are settled. */
export async function settled(area: Area, account = "demo"): Promise<bigint> {
  return (await area.settled(account)).balanceNanos;
}

/** Creates a client of the `openai` SDK. Its base URL ends in `/v1`. */
export function openaiAt(url: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** Creates a client of `@anthropic-ai/sdk`, which appends `/v1` to the base URL. */
export function anthropicAt(url: string, apiKey: string): Anthropic {
  return new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
}

/** Creates a client of `@google/genai`, which appends `/v1beta` to the base URL. */
export function googleAt(url: string, apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
}
