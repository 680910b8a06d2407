import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, wavHead, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { channel, hello, keys, post } from "./suite-client.ts";

/** Kinds of models. Each model has fallbacks. */
const kinds = { draws: "image", speaks: "speech", transcribes: "transcription" } as const;
const names = Object.keys(kinds) as (keyof typeof kinds)[];
/** Address at which nothing listens. */
const unreachable = { baseUrl: "http://127.0.0.1:9/v1" };

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({
    config: {
      groups: { default: { models: ["*"], showChannel: true } },
      models: {
        ...Object.fromEntries(
          names.flatMap((name) => [
            [name, { kind: kinds[name], price: { request: 1 }, fallbacks: [`${name}-spare`] }],
            [`${name}-spare`, { kind: kinds[name], price: { request: 0.002 } }],
          ]),
        ),
        cheap: { kind: "chat", choice: "cheapest" },
      },
      channels: [
        ...names.flatMap((name) => [
          channel(`${name}-away`, [name], unreachable),
          channel(`${name}-there`, [`${name}-spare`]),
        ]),
        channel("dear", { cheap: "gpt-5" }),
        channel("near", { cheap: "gpt-5-nano" }),
      ],
      accounts: { demo: { balance: "100.00", tokens: [{ key: keys.demo, group: "default" }] } },
    },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

function recording(): FormData {
  const samples = 16_000;
  const form = new FormData();
  form.set("model", "transcribes");
  const head = wavHead({ sampleRate: samples, channels: 1, bits: 16 }, samples * 2);
  form.set("file", new Blob([head, Buffer.alloc(samples * 2)]), "a.wav");
  return form;
}

test.each<[keyof typeof kinds, string, () => object]>([
  ["draws", "/v1/images/generations", () => ({ model: "draws", prompt: "A boat" })],
  ["speaks", "/v1/audio/speech", () => ({ model: "speaks", voice: "alloy", input: "Hi" })],
  ["transcribes", "/v1/audio/transcriptions", recording],
])(
  "a call of %s is served by the fallback, at its price, and has the requested model's name",
  async (model, path, makeBody) => {
    const body = makeBody();
    const isForm = body instanceof FormData;
    const answer = await fetch(suite.edgeUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}`, ...(isForm ? {} : { "content-type": "application/json" }) },
      body: isForm ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.not.stringContaining(`"${model}-spare"`)]);
    expect(answer.headers.get("x-modelgate-model")).toBe(`${model}-spare`);
    expect(answer.headers.get("x-modelgate-channel")).toBe(`${model}-there`);
    const requestId = answer.headers.get("x-request-id");
    const stored = await until("its event", async () =>
      (await storedEvents(suite.backends.natsUrl)).find(({ event }) => event.requestId === requestId),
    );
    expect(stored.event).toMatchObject({
      model: `${model}-spare`,
      requestedModel: model,
      channelId: `${model}-there`,
      status: 200,
      outcome: "completed",
      costNanos: "2000000",
      units: { requests: 1 },
    });
  },
);

test("the cheapest channel is the working one whose vendor has the lowest known price", async () => {
  const servedBy = async () => (await post(suite, hello("cheap"))).headers.get("x-modelgate-channel");
  for (let at = 0; at < 8; at++) expect(await servedBy()).toBe("near");
  await suite.simulator.script("near", [{ status: 500 }]);
  expect(await servedBy()).toBe("dear");
});
