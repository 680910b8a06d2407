import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePorts, until } from "@modelgate/testkit";
import { another, channel, config, hello, keys, rival } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { post } from "./requests.ts";
import { isWithin, parseCooldownName, readChannelStates, switchChannel } from "@modelgate/channels";

/** Failures that an account can cause by its own requests must not disable a channel for other accounts. */
let area: Area;
const attacks: readonly (readonly [name: string, how: object])[] = [
  ["errors", { status: 500 }],
  ["overloads with a long retry-after", { status: 503, retryAfter: "600" }],
  ["rate limits with a long retry-after", { status: 429, retryAfter: "600" }],
  ["refusals of the key", { status: 401 }],
  ["a key without credit", { status: 429, errorCode: "insufficient_quota" }],
  ["a missing model", { status: 404, errorCode: "model_not_found" }],
  ["broken streams", { cutAfterChunks: 2, chunks: 4 }],
];
/** Keys of attackers, each with a separate account. */
const attackers = ["sk-attacker-one-0123456789", "sk-attacker-two-0123456789"] as const;
beforeAll(async () => {
  const [closedPort] = await freePorts(1);
  area = await startArea(service, {
    config: {
      ...config,
      models: {
        ...config.models,
        kept: config.models.chat,
        retired: config.models.chat,
        small: config.models.chat,
        away: config.models.chat,
        ...Object.fromEntries(
          attacks.flatMap((_, at) => [`shared-${at}`, `other-${at}`]).map((name) => [name, config.models.chat]),
        ),
      },
      channels: [
        ...config.channels,
        channel("catalogue", ["kept", "retired"]),
        channel("held", ["small"]),
        channel("away", ["away"], { baseUrl: `http://127.0.0.1:${closedPort}/v1` }),
        ...attacks.map((_, at) => channel(`shared-${at}`, [`shared-${at}`, `other-${at}`])),
      ],
      accounts: {
        ...config.accounts,
        rival: rival.account,
        ...Object.fromEntries(
          attackers.map((key, at) => [`attacker-${at}`, { balance: "10.00", tokens: [{ key, group: "default" }] }]),
        ),
      },
    },
    env: { BUFFER_BYTES: "200000" },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());

/**
 * Returns the scopes of a channel that are in a cooldown for all accounts, and the accounts with a separate cooldown.
 */
async function cooldownsOf(channel: string) {
  const { cooldowns, accountCooldowns } = await readChannelStates(area.redis);
  const isOfChannel = (name: string): boolean => isWithin(parseCooldownName(name).scope, channel);
  return {
    forAll: [...cooldowns.keys()].filter(isOfChannel),
    accounts: new Set([...accountCooldowns].filter(([name]) => isOfChannel(name)).map(([, { account }]) => account)),
  };
}
const nothing = { forAll: [], accounts: new Set() };

/** Sends a call with instructions for the simulated vendor. */
const simulated = (model: string, how: object) => post(area, hello(model, `{{simulate: ${JSON.stringify(how)}}}`));

let provoked = 0;
/** Sends an attacker's call, which the simulated vendor fails. No two of these calls have the same body. */
async function provoke(model: string, how: object, key: string): Promise<void> {
  const content = `{{simulate: ${JSON.stringify(how)}}} ${++provoked}`;
  const answer = await post(area, { ...hello(model, content), stream: "cutAfterChunks" in how }, key);
  await answer.arrayBuffer();
}

describe("failures that one tenant provokes fail no calls of other tenants", () => {
  test.each(attacks.map(([name, how], at) => [name, how, at] as const))("%s", async (_, how, at) => {
    const statuses: number[] = [];
    const attack = () =>
      Promise.all(
        Array.from({ length: 10 }, (_, call) => provoke(`${call % 2 ? "shared" : "other"}-${at}`, how, attackers[0])),
      );
    for (let round = 0; round < 7; round++) {
      await attack();
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, call) =>
          post(area, another(`${call % 2 ? "shared" : "other"}-${at}`), rival.key),
        ),
      );
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).toHaveLength(70);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    // On a busy machine, the rounds can last longer than a cooldown.
    const cooldowns = await until("the attacker to be in cooldown", async () => {
      const found = await cooldownsOf(`shared-${at}`);
      return found.accounts.size > 0 ? found : void (await attack());
    });
    expect(cooldowns).toEqual({ forAll: [], accounts: new Set(["attacker-0"]) });
  });

  test("even if two attackers disable the only channel before another tenant's first call", async () => {
    const model = "shared-0";
    await switchChannel(area.redis, model, true, "");
    await until("the model to be in cooldown for all", async () => {
      await Promise.all(attackers.map((key) => provoke(model, { status: 500 }, key)));
      return (await cooldownsOf(model)).forAll.length === 1;
    });
    for (let call = 0; call < 20; call++) {
      expect((await post(area, another(model), keys.demo)).status).toBe(200);
      await Promise.all(attackers.map((key) => provoke(model, { status: 500 }, key)));
    }
  });
});

test("one body that fails repeatedly starts no cooldown, not even for its account", async () => {
  const body = { status: 500 };
  for (let at = 0; at < 10; at++) expect((await simulated("fixed", body)).status).toBe(502);
  expect(await cooldownsOf("main")).toEqual(nothing);
  expect((await post(area, another("fixed"))).status).toBe(200);
});

test("refused connections, which no client can provoke, start a cooldown of a channel for all accounts immediately", async () => {
  for (let at = 0; at < 3; at++) expect((await post(area, another("away"))).status).toBe(502);
  await until("the cooldown to be shared", async () => (await cooldownsOf("away")).forAll.includes("away"));
});

test("a model that the vendor no longer has is alone in cooldown after two accounts fail with it: the channel's other models are served", async () => {
  const gone = { status: 404, errorCode: "model_not_found" };
  const ask = (at: number, key?: string) =>
    post(area, hello("retired", `{{simulate: ${JSON.stringify(gone)}}} ${at}`), key);
  for (let at = 0; at < 3; at++) expect((await ask(at, at === 2 ? rival.key : keys.demo)).status).toBe(502);
  const refused = await until("a call to be turned away", async () => {
    const answer = await ask(++provoked);
    return answer.status === 503 && answer;
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await post(area, hello("kept"))).status).toBe(200);
  await until("the cooldown to be shared", async () => (await cooldownsOf("catalogue")).forAll.length > 0);
  expect((await cooldownsOf("catalogue")).forAll).toEqual(["catalogue#retired"]);
  await switchChannel(area.redis, "catalogue", true, "");
  await until("it to be used again", async () => (await post(area, another("retired"))).status === 200);
});

test("an answer over the gateway's limit does not count against the vendor", async () => {
  for (let at = 0; at < 4; at++) expect((await simulated("small", { bodyBytes: 300_000 })).status).toBe(503);
  expect((await post(area, hello("small"))).status).toBe(200);
  expect(await cooldownsOf("held")).toEqual(nothing);
});
