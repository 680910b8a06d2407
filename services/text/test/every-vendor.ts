import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { Limits } from "@modelgate/testkit";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { channelOf, vendors } from "./vendors.ts";

/** US dollars per million tokens, each different, so that a unit in the wrong place shows in the bill. */
export const price = { input: 2, cachedInput: 0.5, cacheWrite: 3, output: 8 } as const;

/** The key of an account of its own, for tests that look at the money. */
export const keyOf = (account: string): string => `sk-${account}-0123456789abcdef`;

/** The parts of a configuration that differ from test to test. */
export interface Additions {
  readonly models?: Readonly<Record<string, object>>;
  readonly channels?: readonly object[];
  /** Accounts in addition to `demo`. The key of each is `keyOf(name)`. */
  readonly accounts?: readonly string[];
  /** Groups, by the account whose keys are in them; others are in one without limits. */
  readonly groups?: Readonly<Record<string, object>>;
}

/** Returns a configuration with a model behind every vendor, named as the vendor is. */
export function configOf({ models = {}, channels = [], accounts = [], groups = {} }: Additions): object {
  const rich = (name: string) =>
    [name, { balance: "100", tokens: [{ key: keyOf(name), group: name in groups ? name : "default" }] }] as const;
  // Agents offer a search with every request, and pictures are a tool on one of the wires.
  const chat = { kind: "chat", price: { ...price, tools: { webSearch: 0.01, imageGeneration: 0.04 } } };
  return {
    groups: { default: { models: ["*"] }, ...groups },
    models: { ...Object.fromEntries(vendors.map(({ name }) => [name, chat])), ...models },
    channels: [
      ...vendors.map((vendor) => channelOf(vendor, vendor.name, { [vendor.name]: vendor.model })),
      ...channels,
    ],
    accounts: Object.fromEntries(["demo", ...accounts].map(rich)),
  };
}

/** Starts the text service with that configuration. */
export function startText({ limits = {}, ...additions }: Additions & { readonly limits?: Limits } = {}): Promise<Area> {
  return startArea(service, { config: configOf(additions), limits });
}

/** Returns an account's balance in nano-dollars once nothing of it is held any more. */
export async function settled(area: Area, account = "demo"): Promise<bigint> {
  return (await area.settled(account)).balanceNanos;
}

/** The `openai` SDK against `/v1`, as every application of it sets it up. */
export function openaiAt(url: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

/** `@anthropic-ai/sdk` against the gateway: it appends `/v1` itself. */
export function anthropicAt(url: string, apiKey: string): Anthropic {
  return new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
}

/** `@google/genai` against the gateway: it appends `/v1beta` itself. */
export function googleAt(url: string, apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
}
