import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts, startSuite, until, wavHead, type Suite } from "@modelgate/testkit";
import { another, channel, config, hello, keys, post, rival } from "./house.ts";
import { shownChannel, switchedChannel } from "./operator.ts";

/** Whose failure it was: what one call brings about must not take a channel from all others. */
let suite: Suite;
const attacks: readonly (readonly [name: string, how: object])[] = [
  ["errors", { status: 500 }],
  ["overloads with a long retry-after", { status: 503, retryAfter: "600" }],
  ["rate limits with a long retry-after", { status: 429, retryAfter: "600" }],
  ["refusals of the key", { status: 401 }],
  ["a key without credit", { status: 429, errorCode: "insufficient_quota" }],
  ["a missing model", { status: 404, errorCode: "model_not_found" }],
  ["broken streams", { cutAfterChunks: 2, chunks: 4 }],
];
/** Attackers with an account each. */
const attackers = ["sk-attacker-one-0123456789", "sk-attacker-two-0123456789"] as const;
beforeAll(async () => {
  const [closedPort] = await freePorts(1);
  suite = await startSuite({
    config: {
      ...config,
      models: {
        ...config.models,
        kept: config.models.chat,
        retired: config.models.chat,
        small: config.models.chat,
        heard: { kind: "transcription", price: { second: 0.0001 } },
        away: config.models.chat,
        ...Object.fromEntries(
          attacks.flatMap((_, at) => [`shared-${at}`, `beside-${at}`]).map((name) => [name, config.models.chat]),
        ),
      },
      channels: [
        ...config.channels,
        channel("catalogue", ["kept", "retired"]),
        channel("held", ["small"]),
        channel("ears", ["heard"], { wires: ["transcriptions"] }),
        channel("away", ["away"], { baseUrl: `http://127.0.0.1:${closedPort}/v1` }),
        ...attacks.map((_, at) => channel(`shared-${at}`, [`shared-${at}`, `beside-${at}`])),
      ],
      accounts: {
        ...config.accounts,
        rival: rival.account,
        ...Object.fromEntries(
          attackers.map((key, at) => [`attacker-${at}`, { balance: "10.00", tokens: [{ key, group: "default" }] }]),
        ),
      },
    },
    envOf: { text: { BUFFER_BYTES: "200000" } },
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** A second of it. */
const silence = Buffer.concat([wavHead({ sampleRate: 8_000, channels: 1, bits: 8 }, 8_000), Buffer.alloc(8_000, 128)]);
/** A call whose vendor answers in a way of its own. */
const simulated = (model: string, how: object) => post(suite, hello(model, `{{simulate: ${JSON.stringify(how)}}}`));

let provoked = 0;
/** A call of an attacker that its vendor fails, each with a body of its own; whatever comes of it. */
async function provoke(model: string, how: object, key: string): Promise<void> {
  const content = `{{simulate: ${JSON.stringify(how)}}} ${++provoked}`;
  const answer = await post(suite, { ...hello(model, content), stream: "cutAfterChunks" in how }, key);
  await answer.arrayBuffer();
}

describe("what one tenant provokes fails no call of another", () => {
  test.each(attacks.map(([name, how], at) => [name, how, at] as const))(
    "%s",
    async (_, how, at) => {
      const statuses: number[] = [];
      for (let round = 0; round < 21; round++) {
        await Promise.all(
          Array.from({ length: 10 }, (_, call) =>
            provoke(`${call % 2 ? "shared" : "beside"}-${at}`, how, attackers[0]),
          ),
        );
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, call) =>
            post(suite, another(`${call % 2 ? "shared" : "beside"}-${at}`), rival.key),
          ),
        );
        statuses.push(...answers.map(({ status }) => status));
      }
      expect(statuses).toHaveLength(210);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      const { accountsOut, ...shown } = await shownChannel(suite, `shared-${at}`);
      expect(shown).toMatchObject({ state: "ok", usableKeys: "1/1", modelsOut: [] });
      expect(new Set(accountsOut.map(({ account }) => account))).toEqual(new Set(["attacker-0"]));
    },
    120_000,
  );

  test("not even where two attackers take its only channel out before it calls for the first time", async () => {
    const model = "shared-0";
    await switchedChannel(suite, model, "enable");
    await until("the model to be out for all", async () => {
      await Promise.all(attackers.map((key) => provoke(model, { status: 500 }, key)));
      return (await shownChannel(suite, model)).modelsOut.length === 1;
    });
    for (let call = 0; call < 20; call++) {
      expect((await post(suite, another(model), keys.demo)).status).toBe(200);
      await Promise.all(attackers.map((key) => provoke(model, { status: 500 }, key)));
    }
  }, 60_000);
});

test("one body that fails again and again rests nothing, not even for its account", async () => {
  const body = { status: 500 };
  for (let at = 0; at < 10; at++) expect((await simulated("fixed", body)).status).toBe(502);
  expect(await shownChannel(suite, "main")).toMatchObject({ state: "ok", accountsOut: [] });
  expect((await post(suite, another("fixed"))).status).toBe(200);
});

test("connections refused, which no client can provoke, rest a channel for all at once", async () => {
  for (let at = 0; at < 3; at++) expect((await post(suite, another("away"))).status).toBe(502);
  await until("the rest to be shown", async () => (await shownChannel(suite, "away")).state === "resting");
});

test("a model that the vendor has no more is out by itself, once two accounts see it: the channel's others are served", async () => {
  const gone = { status: 404, errorCode: "model_not_found" };
  const ask = (at: number, key?: string) =>
    post(suite, hello("retired", `{{simulate: ${JSON.stringify(gone)}}} ${at}`), key);
  for (let at = 0; at < 3; at++) expect((await ask(at, at === 2 ? rival.key : keys.demo)).status).toBe(502);
  const refused = await until("a call to be turned away", async () => {
    const answer = await ask(++provoked);
    return answer.status === 503 && answer;
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await post(suite, hello("kept"))).status).toBe(200);
  await until("the rest to be shown", async () => (await shownChannel(suite, "catalogue")).modelsOut.length > 0);
  expect(await shownChannel(suite, "catalogue")).toMatchObject({
    state: "ok",
    modelsOut: [{ model: "retired", state: "resting", reason: "upstream_error" }],
  });
  await switchedChannel(suite, "catalogue", "enable");
  await until("it to be used again", async () => (await post(suite, another("retired"))).status === 200);
});

test("what this gateway has no room for is not its vendor's failure", async () => {
  for (let at = 0; at < 4; at++) expect((await simulated("small", { bodyBytes: 300_000 })).status).toBe(503);
  expect((await post(suite, hello("small"))).status).toBe(200);
  expect(await shownChannel(suite, "held")).toMatchObject({ state: "ok" });
});

test("an endpoint that a vendor does not have is not asked for, and costs its channel nothing", async () => {
  const ask = (what: string) => {
    const form = new FormData();
    form.set("model", "heard");
    form.set("file", new Blob([silence]), "speech.wav");
    return fetch(`${suite.edgeUrl}/v1/audio/${what}`, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}` },
      body: form,
    });
  };
  for (let at = 0; at < 4; at++) expect((await ask("translations")).status).toBe(503);
  const heard = await ask("transcriptions");
  expect([heard.status, await heard.text()]).toEqual([200, expect.any(String)]);
  expect(await shownChannel(suite, "ears")).toMatchObject({ state: "ok" });
});
