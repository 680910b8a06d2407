import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { startCollector, type OtlpCollector } from "./otlp-collector.ts";
import { channel, enable } from "./suite-client.ts";
import { quickLimits, taskEvents } from "../../services/video/test/films.ts";
import { ask, textSession } from "./realtime-client.ts";

/** Secrets that must not leak. observability.test.ts tests those of text. */
const canary = {
  client: "sk-canary-media-0123456789",
  vendor: "canaryMediaVendorKey0123456789",
  prompt: "canary-of-what-was-said",
  file: "canary-of-the-file",
};
const models = {
  image: { kind: "image", price: { image: 0.04 } },
  voice: { kind: "speech", price: { character: 0.000015 } },
  ear: { kind: "transcription", price: { second: 0.0001 } },
  film: { kind: "video", price: { second: 0.1 } },
  talk: { kind: "realtime", price: { input: 4, output: 16 } },
};
/** Failures whose message contains the vendor's key. */
const failures = [
  { status: 500, errorMessage: `Bearer ${canary.vendor} failed` },
  { status: 401, errorMessage: `Incorrect key: ${canary.vendor}` },
];

let collector: OtlpCollector;
let suite: Suite;
let client: OpenAI;

beforeAll(async () => {
  collector = await startCollector();
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"] } },
      models: {
        ...models,
        ...Object.fromEntries(Object.entries(models).map(([name, model]) => [`${name}-shaky`, model])),
      },
      channels: Object.keys(models).flatMap((name) => [
        channel(name, [name], { keys: [canary.vendor] }),
        channel(`${name}-shaky`, [`${name}-shaky`], { keys: [canary.vendor] }),
      ]),
      accounts: { canary: { balance: "100.00", tokens: [{ key: canary.client, group: "default" }] } },
    },
    env: { LOG_LEVEL: "trace", ...collector.env },
    limits: quickLimits,
  });
  client = new OpenAI({ baseURL: `${suite.edgeUrl}/v1`, apiKey: canary.client, maxRetries: 0 });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  collector?.[Symbol.dispose]();
});

const calls: Readonly<Record<string, (model: string) => Promise<unknown>>> = {
  image: (model) => client.images.generate({ model, prompt: canary.prompt, size: "512x512" }),
  voice: async (model) =>
    (await client.audio.speech.create({ model, voice: "alloy", input: canary.prompt })).arrayBuffer(),
  ear: async (model) =>
    client.audio.transcriptions.create({
      model,
      prompt: canary.prompt,
      file: await toFile(await speechFile(), `${canary.file}.wav`),
    }),
  film: (model) => client.videos.create({ model, prompt: canary.prompt, seconds: "4" }),
  talk: (model) => converse(model),
};

async function speechFile(): Promise<ArrayBuffer> {
  const vendor = new OpenAI({ baseURL: `${suite.simulator.url}/openai/v1`, apiKey: "any" });
  const answer = await vendor.audio.speech.create({ model: "m", voice: "alloy", input: "Hi", response_format: "wav" });
  return answer.arrayBuffer();
}

async function converse(model: string): Promise<void> {
  const session = await textSession(suite, model, canary.client);
  await ask(session, canary.prompt);
  session.socket.close();
  await session.closed;
}

test("no area leaks a secret or a client's content", async () => {
  const errors: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    await call(name);
    for (const failure of failures) {
      await suite.simulator.script(`${name}-shaky`, [failure]);
      const error: unknown = await call(`${name}-shaky`).then(
        () => "it did not fail",
        (reason: unknown) => reason,
      );
      expect(error, name).toBeInstanceOf(Error);
      errors.push(`${String(error)} ${JSON.stringify(error)}`);
      await enable(suite, `${name}-shaky`);
    }
    expect(await suite.simulator.requests(`${name}-shaky`), name).toHaveLength(failures.length);
  }
  expect(errors).toHaveLength(Object.keys(calls).length * failures.length);
  const events = await until("an event of each area", async () => {
    const all = await storedEvents(suite.backends.natsUrl);
    return Object.keys(models).every((name) => all.some(({ event }) => event.model === name)) && all;
  });
  await until("spans of each area", () =>
    Object.keys(models).every((name) => collector.exported.join().includes(`"stringValue":"${name}"`)),
  );
  const texts = {
    errors: errors.join("\n"),
    events: JSON.stringify([...events, ...(await taskEvents(suite.backends.natsUrl))]),
    traces: collector.exported.join("\n"),
    metrics: await (await fetch(`${suite.opsUrl("edge")}/metrics`)).text(),
    logs: suite.process("edge").logs(),
  };
  for (const [where, text] of Object.entries(texts)) {
    expect(text.length, where).toBeGreaterThan(100);
    for (const [what, word] of Object.entries({ ...canary, secret: suite.secret }))
      expect(text.includes(word), `${what} in ${where}: ${excerptAround(text, word)}`).toBe(false);
  }
});

function excerptAround(text: string, word: string): string {
  const at = text.indexOf(word);
  return at < 0 ? "" : text.slice(Math.max(0, at - 200), at + 100);
}
