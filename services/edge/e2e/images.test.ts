import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { pictureIn, samplePng } from "./pictures.ts";
import { keys, money, sdk } from "./house.ts";

const vendors = {
  openai: { provider: "openai", path: "openai/v1" },
  qwen: { provider: "qwen", path: "dashscope/api/v1" },
  gemini: { provider: "gemini", path: "gemini" },
} as const;

/** A channel of a vendor of images that is an instance of the simulator of its own. */
function channelOf(id: string, vendor: keyof typeof vendors, models: object): object {
  const { provider, path } = vendors[vendor];
  return { id, provider, baseUrl: `\${SIMULATOR_URL}/at/${id}/${path}`, keys: [`key-of-${id}`], models };
}

const perImage = { image: 0.04 };
const config = {
  groups: { default: { models: ["*"] } },
  models: {
    tokens: { kind: "image", price: { input: 10, output: 40 } },
    addresses: { kind: "image", price: perImage },
    synchronous: { kind: "image", price: perImage },
    tasks: { kind: "image", price: perImage },
    content: { kind: "image", price: { image: 0.04, output: 30 } },
    chat: { kind: "chat", price: { output: 10 } },
  },
  channels: [
    channelOf("pictures", "openai", { tokens: "gpt-image-1", addresses: "dall-e-3" }),
    channelOf("sync", "qwen", { synchronous: "qwen-image" }),
    channelOf("async", "qwen", { tasks: "wan2.5-t2i" }),
    channelOf("google", "gemini", { content: "gen-image" }),
  ],
  accounts: { demo: { balance: "100.00", tokens: [{ key: keys.demo, group: "default" }] } },
};

let suite: Suite;
let client: OpenAI;
beforeAll(async () => {
  suite = await startSuite({
    config,
    envOf: {
      media: { FETCH_PRIVATE_HOSTS: "127.0.0.1", IMAGE_BYTES: "200000", BODY_BYTES: "2000000", TASK_WAIT_MS: "4000" },
    },
  });
  client = sdk(suite);
});
afterAll(() => suite?.[Symbol.asyncDispose]());
beforeEach(async () => {
  await Promise.all(["pictures", "sync", "async", "google"].map((instance) => suite.simulator.forget(instance)));
});

/** What a call cost, in nano-dollars. */
async function costOf(call: () => Promise<unknown>): Promise<bigint> {
  const settled = () =>
    until("all holds to be settled", async () => {
      const account = await money(suite);
      return account.heldNanos === "0" && BigInt(account.balanceNanos);
    });
  const before = await settled();
  await call();
  return before - (await settled());
}

/** The picture of an answer, however it came. */
async function pictureOf(image: { url?: string | undefined; b64_json?: string | undefined } | undefined) {
  if (image?.b64_json !== undefined) return pictureIn(Buffer.from(image.b64_json, "base64"));
  return pictureIn(Buffer.from(await (await fetch(image?.url ?? "")).arrayBuffer()));
}

const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${suite.edgeUrl}/v1/images/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
};

const file = (bytes: Buffer, name = "in.png") => toFile(bytes, name, { type: "image/png" });
const qwenBody = (model: string, content: readonly object[], parameters: object = {}) => ({
  model,
  input: { messages: [{ role: "user", content }] },
  parameters,
});

describe.each(["tokens", "addresses", "synchronous", "tasks", "content"])("images by %s", (model) => {
  test.each(["url", "b64_json"] as const)("are made from the simple body, as %s", async (form) => {
    const answer = await client.images.generate({ model, prompt: "a red fox", size: "512x512", response_format: form });
    expect(answer.created).toBeGreaterThan(1_700_000_000);
    expect(answer.data).toHaveLength(1);
    expect(Object.keys(answer.data?.[0] ?? {})).toContain(form);
    expect(await pictureOf(answer.data?.[0])).toMatchObject(
      model === "content" ? { width: 1_024 } : { width: 512, height: 512 },
    );
  });

  test("are made from the qwen-style body", async () => {
    const body = qwenBody(model, [{ text: "a red fox" }], { size: "512*512", prompt_extend: true, watermark: false });
    const { status, body: answer } = await post("generations", body);
    expect(status).toBe(200);
    expect(await pictureOf(answer.data[0])).toMatchObject({ type: "png" });
  });
});
