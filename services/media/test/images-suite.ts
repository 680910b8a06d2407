import type { Area } from "../../../libs/relay/test/area.ts";
import { keys } from "../../../libs/relay/test/config.ts";

const vendors = {
  openai: { provider: "openai", path: "openai/v1" },
  qwen: { provider: "qwen", path: "dashscope/api/v1" },
  gemini: { provider: "gemini", path: "gemini" },
} as const;

/** Returns a channel to a separate simulator instance that acts as the vendor. */
function channelOf(id: string, vendor: keyof typeof vendors, models: object, more: object = {}): object {
  const { provider, path } = vendors[vendor];
  return { id, provider, baseUrl: `\${SIMULATOR_URL}/at/${id}/${path}`, keys: [`key-of-${id}`], models, ...more };
}

/**
 * Configuration with image models of every vendor. Most models are named after a property of their vendor's answers or
 * prices.
 */
export const imagesConfig = {
  groups: { default: { models: ["*"] }, sharing: { models: ["*"], vendorStores: "shared" } },
  models: {
    tokens: { kind: "image", price: { input: 10, output: 40 } },
    apart: { kind: "image", price: { input: 5, inputImage: 10, output: 12, outputImage: 40 } },
    addresses: { kind: "image", price: { image: 0.04 } },
    extras: { kind: "image", price: { image: 0.04 } },
    synchronous: { kind: "image", price: { image: 0.04 } },
    "other-tasks": { kind: "image", price: { image: 0.04 } },
    tasks: { kind: "image", price: { image: 0.04 } },
    content: { kind: "image", price: { image: 0.04, output: 30 } },
    "content-by-image": { kind: "image", price: { image: 0.04 } },
    chat: { kind: "chat", price: { output: 10 } },
    retried: { kind: "image", price: { image: 0.04 } },
    unreachable: { kind: "image", price: { image: 1 }, fallbacks: ["retried"] },
  },
  channels: [
    channelOf("pictures", "openai", { tokens: "gpt-image-1", addresses: "dall-e-3", extras: "seedream", chat: "chat" }),
    channelOf("apart", "openai", { apart: "gpt-image-1" }),
    channelOf("sync", "qwen", { synchronous: "qwen-image", "other-tasks": "wan-other" }),
    channelOf("async", "qwen", { tasks: "wan2.5-t2i" }),
    channelOf("spare", "qwen", { tasks: "wan2.5-t2i" }, { priority: -1 }),
    channelOf("google", "gemini", { content: "gen-image", "content-by-image": "gen-image" }),
    channelOf("unreadable", "openai", { retried: "seedream" }, { priority: 1 }),
    channelOf("readable", "openai", { retried: "seedream" }),
    channelOf("nowhere", "openai", { unreachable: "dall-e-3" }, { baseUrl: "http://127.0.0.1:9/v1" }),
  ],
  accounts: {
    demo: { balance: "100.00", tokens: [{ key: keys.demo, group: "default" }] },
    sharing: { balance: "1.00", tokens: [{ key: keys.single, group: "sharing" }] },
  },
};

export interface ImagesAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The tests read different members.
  readonly body: any;
}

export async function postImages(
  { url }: Pick<Area, "url">,
  path: "generations" | "edits",
  body: object | string | FormData,
  headers: Readonly<Record<string, string>> = {},
): Promise<ImagesAnswer> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${url}/v1/images/${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      ...(isForm ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: isForm || typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
}

export const qwenBody = (model: string, content: readonly object[], parameters: object = {}) => ({
  model,
  input: { messages: [{ role: "user", content }] },
  parameters,
});

/** Returns the cost of a call in nano-dollars. */
export async function costOf({ settled }: Pick<Area, "settled">, call: () => Promise<unknown>): Promise<bigint> {
  const before = (await settled("demo")).spentNanos;
  await call();
  return (await settled("demo")).spentNanos - before;
}
