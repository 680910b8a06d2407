import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { expect, test } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { brokenStreams } from "../../../services/text/test/broken-streams.ts";
import { storedEvents } from "../events.ts";
import { booksAgree } from "../realtime-client.ts";
import { hello, keys, money, post, sdk, settledMoney } from "../suite-client.ts";
import { growingKey, kill, type CrashSetup } from "./setup.ts";

const headers = { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" };
const slow = 'Hi {{simulate: {"chunks": 8000, "chunkDelayMs": 50}}}';

/** Call whose answer begins before its service is killed. */
interface OpenCall<Result> {
  readonly begun: Promise<void>;
  readonly result: Promise<Result>;
}

/** Sends a request and reads its answer to the end. */
export function open(suite: Suite, path: string, body: object): OpenCall<string> {
  const begun = Promise.withResolvers<void>();
  async function read(): Promise<string> {
    const answer = await fetch(suite.edgeUrl + path, {
      method: "POST",
      headers: { ...headers, "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
    let text = `${answer.status} `;
    for await (const piece of answer.body ?? []) {
      text += Buffer.from(piece).toString();
      begun.resolve();
    }
    return text;
  }
  const result = read();
  result.catch(begun.reject);
  return { begun: begun.promise, result };
}

/** Opens a stream of each SDK. The result is the error that the SDK throws. */
function openSdks(suite: Suite): readonly OpenCall<unknown>[] {
  const openai = sdk(suite);
  const anthropic = new Anthropic({ baseURL: suite.edgeUrl, apiKey: keys.demo, maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey: keys.demo, httpOptions: { baseUrl: suite.edgeUrl } });
  const streams: readonly Promise<AsyncIterable<unknown>>[] = [
    openai.chat.completions.create({ ...hello("chat", slow), stream: true }),
    openai.completions.create({ model: "chat", prompt: slow, stream: true }),
    anthropic.messages.create({ ...hello("chat", slow), max_tokens: 100_000, stream: true }),
    google.models.generateContentStream({ model: "chat", contents: slow }),
    openai.responses.create({ model: "chat", input: slow, stream: true }),
  ];
  return streams.map((stream) => {
    const begun = Promise.withResolvers<void>();
    const read = async (): Promise<string> => {
      for await (const _ of await stream) begun.resolve();
      return "it ended";
    };
    return { begun: begun.promise, result: read().catch((error: unknown) => error) };
  });
}

const overloaded = "server_overloaded";
const thrownErrors: readonly object[] = [
  { code: overloaded, constructor: OpenAI.APIError },
  { code: overloaded },
  { error: { error: { type: "overloaded_error" } } },
  { name: "ApiError", status: 503 },
  { message: expect.stringMatching(/ended (its answer early|unexpectedly)/) },
];

interface StoredResponse {
  readonly id: string;
  readonly status: string;
  readonly error: object | null;
}

async function readResponse(suite: Suite, id: string): Promise<StoredResponse | undefined> {
  const answer = await fetch(`${suite.edgeUrl}/v1/responses/${id}`, { headers });
  const text = await answer.text();
  return answer.status === 200 ? JSON.parse(text) : undefined;
}

/** Starts a response in the background. Returns its id. */
async function beginInBackground(suite: Suite): Promise<string> {
  const body = JSON.stringify({ model: "chat", input: slow, background: true });
  const answer = await fetch(`${suite.edgeUrl}/v1/responses`, { method: "POST", headers, body });
  const { id }: StoredResponse = JSON.parse(await answer.text());
  await until("it to be created", async () => (await readResponse(suite, id))?.status === "in_progress");
  return id;
}

/** Opens a stream whose hold has grown twice. Its floor was also renewed. */
async function openGrown(suite: Suite): Promise<OpenCall<string>> {
  await suite.simulator.script("growing", [{ text: "story ".repeat(8_000), chunks: 2_000, chunkDelayMs: 5 }]);
  const stream = await sdk(suite, growingKey).chat.completions.create({ ...hello("growing"), stream: true });
  let text = "";
  const read = async (): Promise<string> => {
    try {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
      return "it ended";
    } catch {
      return text;
    }
  };
  const result = read();
  const grown = until("its hold to grow", async () => {
    const held = BigInt((await money(suite, "growing")).heldNanos);
    return text.length > 8_000 && held > 2n * 256n * 10_000n;
  });
  return { begun: grown.then(() => undefined), result };
}

export function killedTextTests(setup: () => CrashSetup): void {
  test("text is killed: streams of every wire and SDK end with its error, a call without a first byte gets 503, and what was certain is charged", async () => {
    const { suite } = setup();
    const failedEvents = async () =>
      (await storedEvents(suite.backends.natsUrl)).filter(({ event }) => event.outcome === "failed");
    const [before, { length: vendorSeen }] = [(await failedEvents()).length, await suite.simulator.requests("main")];
    const wires = brokenStreams("chat", slow);
    const streams = wires.map(({ path, body }) => open(suite, path, body));
    const sdks = openSdks(suite);
    const whole = post(suite, hello("chat", 'Hi {{simulate: {"delayMs": 60000}}}'));
    const response = await beginInBackground(suite);
    const grown = await openGrown(suite);
    await Promise.all([...streams, ...sdks, grown].map(({ begun }) => begun));
    const calls = streams.length + sdks.length + 2;
    await until(
      "the complete call to reach the vendor",
      async () => (await suite.simulator.requests("main")).length === vendorSeen + calls,
    );
    await kill(setup(), "text");

    const texts = await Promise.all(streams.map(({ result }) => result));
    for (const [at, { name, broken }] of wires.entries()) expect(texts[at], name).toMatch(broken);
    // All events are complete JSON.
    const array: unknown = JSON.parse((texts.at(-1) ?? "").slice(4));
    expect(array).toBeInstanceOf(Array);
    expect(await Promise.all(sdks.map(({ result }) => result))).toMatchObject(thrownErrors);
    const refused = await whole;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ error: { code: overloaded } });

    await suite.restart("text");
    const failed = await until("the response to have failed", async () => {
      const found = await readResponse(suite, response);
      return found?.status === "failed" && found;
    });
    expect(failed.error).toMatchObject({ code: "server_error", message: expect.stringContaining("ended") });
    const events = await fetch(`${suite.edgeUrl}/v1/responses/${response}?stream=true`, { headers });
    expect(await events.text()).toMatch(/\n\nevent: response\.failed\ndata: .*\n\n$/);
    await booksAgree(suite, "demo");
    await until("an event of each", async () => (await failedEvents()).length === before + calls + 1);
    await expectGrownCharge(suite, await grown.result);
  });

  test("the edge is killed: its seats are released when their leases end", async () => {
    const { suite } = setup();
    const opened = await post(suite, { ...hello("chat", slow), stream: true }, keys.single);
    expect(opened.status).toBe(200);
    expect((await post(suite, hello("chat"), keys.single)).status).toBe(429);
    await kill(setup(), "edge");
    await opened.text().catch(() => undefined);
    await suite.restart("edge");
    await until("the seat to be released", async () => (await post(suite, hello("chat"), keys.single)).status === 200);
    await booksAgree(suite, "demo");
  });
}

/** Checks that the certain part of a stream with an extended hold was charged, and the rest released. */
async function expectGrownCharge(suite: Suite, text: string): Promise<void> {
  const { balanceNanos } = await settledMoney(suite, "growing");
  const found = (await storedEvents(suite.backends.natsUrl)).find(({ event }) => event.accountId === "growing");
  expect(found?.event).toMatchObject({ outcome: "failed", estimated: true });
  expect(BigInt(balanceNanos)).toBe(1_000_000_000n - BigInt(found?.event.costNanos ?? 0));
  // An estimate assumes four characters per token.
  expect(Number(found?.event.units.outputTokens)).toBeGreaterThan(0);
  expect(Number(found?.event.units.outputTokens)).toBeLessThanOrEqual(Math.ceil(text.length / 4) + 100);
}
