import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { channel, config, hello, keys } from "../../../libs/relay/test/config.ts";
import { startArea, type Area } from "../../../libs/relay/test/area.ts";
import { service } from "../src/service.ts";
import { post } from "./requests.ts";
import { switchChannel } from "@modelgate/channels";

/** Two channels with two keys each and equal weights. */
const channelPair = (name: string, more: object = {}) =>
  ["a", "b"].map((at) =>
    channel(`${name}-${at}`, [name], { keys: [`${name}-${at}-one`, `${name}-${at}-two`], wires: ["chat"], ...more }),
  );
const names = ["talk", "moved", "full", "sealed-messages", "sealed-responses", "sealed-content"] as const;
/** Returns a channel of a provider, with one model named after the channel. */
const vendor = (id: string, provider: string) =>
  channel(id, [id], { provider, baseUrl: `\${SIMULATOR_URL}/at/${id}/${provider}` });
let area: Area;
let other: Area;
beforeAll(async () => {
  const options = {
    config: {
      ...config,
      groups: { ...config.groups, default: { models: ["*"], showChannel: true } },
      models: {
        ...config.models,
        ...Object.fromEntries(names.map((name) => [name, config.models.chat])),
      },
      channels: [
        ...config.channels,
        ...channelPair("talk"),
        ...channelPair("moved"),
        ...channelPair("full", { maxConcurrency: 2 }),
        channel("sealed-responses", ["sealed-responses"]),
        vendor("sealed-messages", "anthropic"),
        vendor("sealed-content", "gemini"),
        channel("tried-first", ["chat"], { priority: 20 }),
      ],
    },
  };
  area = await startArea(service, options);
  other = await startArea(service, { ...options, sameBackendsAs: area });
});
afterAll(async () => {
  await other?.[Symbol.asyncDispose]();
  await area?.[Symbol.asyncDispose]();
});

const turn = (role: string, content: string) => ({ role, content });
/** Path and body of a request of each wire. */
type Body = (model: string, turns: readonly { readonly role: string; readonly content: string }[]) => object;
const wires: Readonly<Record<string, { readonly path: (model: string) => string; readonly body: Body }>> = {
  chat: { path: () => "/v1/chat/completions", body: (model, messages) => ({ model, messages }) },
  messages: { path: () => "/v1/messages", body: (model, messages) => ({ model, max_tokens: 50, messages }) },
  responses: { path: () => "/v1/responses", body: (model, input) => ({ model, store: false, input }) },
  content: {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, turns) => ({
      contents: turns.map(({ role, content }) => ({
        role: role === "assistant" ? "model" : role,
        parts: [{ text: content }],
      })),
    }),
  },
};

/** Sends a call to one of the two replicas, alternating by the number `at`. */
function send(at: number, path: string, body: object): Promise<Response> {
  return fetch((at % 2 === 0 ? area.url : other.url) + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${keys.demo}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify(body),
  });
}

const seatsOf = (id: string) => area.redis.zcard(`channel:{${id}}:seats:`);

const stored = (id: string) =>
  fetch(`${area.url}/v1/responses/${id}`, { headers: { authorization: `Bearer ${keys.demo}` } });

/** Sends a call and returns the channel and the key that served it. */
async function placeOf(name: string, at: number, path: string, body: object): Promise<string> {
  await Promise.all(["a", "b"].map((twin) => area.simulator.forget(`${name}-${twin}`)));
  const answer = await send(at, path, body);
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
  const served = answer.headers.get("x-modelgate-channel") ?? "";
  const [vendorRequest] = await area.simulator.requests(served);
  return `${served} ${vendorRequest?.headers["authorization"]}`;
}

describe("a conversation stays with its first channel and key, in every replica", () => {
  test.each(Object.entries(wires))("%s", async (wire, { path, body }) => {
    for (let talk = 0; talk < 4; talk++) {
      const turns = [turn("user", `${wire} ${talk}`)];
      const places: string[] = [];
      for (let at = 0; at < 4; at++) {
        places.push(await placeOf("talk", at, path("talk"), body("talk", turns)));
        turns.push(turn("assistant", `You said: ${at}`), turn("user", `more ${at}`));
      }
      expect(places).toEqual(places.map(() => places[0]));
    }
  });

  test("a conversation is identified by the client's name for it, independently of its messages", async () => {
    for (let talk = 0; talk < 3; talk++) {
      const body = (at: number) => ({ ...hello("talk", `words ${at}`), prompt_cache_key: `word-${talk}` });
      const places: string[] = [];
      for (let at = 0; at < 4; at++) places.push(await placeOf("talk", at, "/v1/chat/completions", body(at)));
      expect(places).toEqual(places.map(() => places[0]));
    }
  });

  test("by reference to the previous response", async () => {
    const places: string[] = [];
    let previous: string | null = null;
    for (let at = 0; at < 6; at++) {
      await Promise.all(["a", "b"].map((twin) => area.simulator.forget(`talk-${twin}`)));
      const answer = await send(at, "/v1/responses", {
        model: "talk",
        input: `next ${at}`,
        previous_response_id: previous,
      });
      const served = answer.headers.get("x-modelgate-channel") ?? "";
      const [vendorRequest] = await area.simulator.requests(served);
      places.push(`${served} ${vendorRequest?.headers["authorization"]}`);
      const response: { readonly id: string } = JSON.parse(await answer.text());
      previous = response.id;
      await until("it to be kept", async () => (await stored(response.id)).ok);
    }
    expect(places).toEqual(places.map(() => places[0]));
  });

  test("calls that only start a conversation are distributed by weight and in turn", async () => {
    const places: string[] = [];
    for (let at = 0; at < 16; at++)
      places.push(await placeOf("talk", at, "/v1/chat/completions", hello("talk", "Same")));
    expect(new Set(places).size).toBeGreaterThan(1);
  });
});

describe("a conversation moves to another channel, and stays there", () => {
  test("if its channel is switched off", async () => {
    const body = { ...hello("moved"), prompt_cache_key: "moved" };
    const ask = (at: number) => placeOf("moved", at, "/v1/chat/completions", body);
    const [before = ""] = (await ask(0)).split(" ");
    await switchChannel(area.redis, before, false, "test");
    await until("both replicas to know", async () => {
      const places = [await ask(0), await ask(1)];
      return places.every((place) => !place.startsWith(before));
    });
    const moved = await ask(0);
    await switchChannel(area.redis, before, true, "");
    for (let at = 0; at < 6; at++) expect(await ask(at)).toBe(moved);
  });

  test("if its channel is full", async () => {
    const body = { ...hello("full"), prompt_cache_key: "full" };
    const ask = (at: number) => placeOf("full", at, "/v1/chat/completions", body);
    const [before = ""] = (await ask(0)).split(" ");
    await area.simulator.script(before, [{ delayMs: 60_000 }, { delayMs: 60_000 }]);
    const leaving = new AbortController();
    const open = () =>
      fetch(`${area.url}/v1/chat/completions`, {
        method: "POST",
        signal: leaving.signal,
        headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).catch(() => undefined);
    const calls = [open(), open()];
    await until("its seats to be taken", async () => (await seatsOf(before)) === 2);
    const moved = await ask(1);
    expect(moved.split(" ")[0]).not.toBe(before);
    leaving.abort();
    await Promise.all(calls);
    await until("its seats to be back", async () => (await seatsOf(before)) === 0);
    for (let at = 0; at < 6; at++) expect(await ask(at)).toBe(moved);
  });
});

describe("signatures that the vendor did not create are dropped, once", () => {
  const foreign = Buffer.from("another account's thoughts").toString("base64");
  const histories: Readonly<Record<string, object>> = {
    messages: {
      max_tokens: 50,
      messages: [
        turn("user", "Hi"),
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "so", signature: foreign },
            { type: "text", text: "Hello" },
          ],
        },
        turn("user", "And?"),
      ],
    },
    responses: {
      store: false,
      input: [
        turn("user", "Hi"),
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: foreign },
        turn("assistant", "Hello"),
        turn("user", "And?"),
      ],
    },
    content: {
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hello", thoughtSignature: foreign }] },
        { role: "user", parts: [{ text: "And?" }] },
      ],
    },
  };

  test.each(Object.entries(histories))("%s", async (wire, history) => {
    const model = `sealed-${wire}`;
    const answer = await send(0, wires[wire]?.path(model) ?? "", wire === "content" ? history : { model, ...history });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("You said: And?")]);
    const bodies = (await area.simulator.requests(model)).map(({ body }) => body.includes(foreign));
    expect(bodies).toEqual([true, false]);
    expect(answer.headers.get("x-modelgate-attempts")).toBe(`${model};failed=upstream_rejected, ${model}`);
  });

  test("a repeated refusal is reported", async () => {
    await area.simulator.forget("sealed-messages");
    const refused = { status: 400, errorMessage: "Invalid `signature` in `thinking` block" };
    await area.simulator.script("sealed-messages", [{ ...refused, repeat: true }]);
    const answer = await send(0, "/v1/messages", { model: "sealed-messages", ...histories["messages"] });
    expect(answer.status).toBe(400);
    expect(await area.simulator.requests("sealed-messages")).toHaveLength(2);
  });
});

describe("the channel and the attempts", () => {
  const headersOf = ({ headers }: Response) => [
    headers.get("x-modelgate-channel"),
    headers.get("x-modelgate-attempts"),
  ];

  test.each<[string, object]>([
    ["a complete answer", {}],
    ["a stream", { stream: true }],
  ])("are reported with %s", async (_, more) => {
    await area.simulator.script("tried-first", [{ status: 500 }, {}]);
    const [second, first] = [
      await post(area, { ...hello("chat"), ...more }),
      await post(area, { ...hello("chat"), ...more }),
    ];
    expect(headersOf(second)).toEqual(["main", "tried-first;failed=upstream_error, main"]);
    expect(headersOf(first)).toEqual(["tried-first", "tried-first"]);
  });

  test("are reported with a failure", async () => {
    await area.simulator.script("tried-first", [{ status: 400 }]);
    expect(headersOf(await post(area, hello("chat")))).toEqual(["tried-first", "tried-first;failed=upstream_rejected"]);
  });

  test("are not shown to other groups", async () => {
    expect(headersOf(await post(area, hello("chat"), keys.thrifty))).toEqual([null, null]);
  });
});
