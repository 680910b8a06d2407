import { afterAll, beforeAll, expect, test } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { quickLimits } from "../../services/video/test/films.ts";
import { channel, hello, keys, post, read } from "./suite-client.ts";
import { openSession } from "./realtime-client.ts";

const kinds = {
  chat: "chat",
  embed: "embedding",
  sketch: "image",
  voice: "speech",
  film: "video",
  talk: "realtime",
} as const;
const models = Object.keys(kinds);
const price = { input: 1, output: 1, request: 0.001 };
const config = {
  groups: { default: { models: ["*"] } },
  models: Object.fromEntries(Object.entries(kinds).map(([model, kind]) => [model, { kind, price }])),
  channels: [channel("main", models)],
  accounts: { demo: { balance: "10.00", tokens: [{ key: keys.demo, group: "default" }] } },
};

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config, limits: quickLimits });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

/** Makes a call with these headers, and returns its status. */
type Ask = (headers: Record<string, string>) => Promise<number>;

const postTo =
  (path: string, body: object): Ask =>
  async (headers) => {
    const answer = await fetch(suite.edgeUrl + path, {
      method: "POST",
      headers: { authorization: `Bearer ${keys.demo}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    await answer.arrayBuffer();
    return answer.status;
  };

const film: Ask = async (headers) => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "film", prompt: "a cat", seconds: "4" })) form.set(name, value);
  const answer = await fetch(`${suite.edgeUrl}/v1/videos`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, ...headers },
    body: form,
  });
  await answer.arrayBuffer();
  return answer.status;
};

const talk: Ask = async (headers) => {
  const session = await openSession(suite, { model: "talk", headers });
  await session.next("session.created");
  const content = [{ type: "input_text", text: "Hello" }];
  session.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
  session.send({ type: "response.create" });
  await session.next("response.done");
  session.socket.close();
  await session.closed;
  return 200;
};

const messages = [{ role: "user", content: "Hello" }];
const version = { "anthropic-version": "2023-06-01" };

/** Calls of all areas. `endUser` is the end user that the call names, if it names one. */
const calls: readonly (readonly [name: string, ask: Ask, endUser?: string])[] = [
  ["chat, user", postTo("/v1/chat/completions", { model: "chat", messages, user: "ann" }), "ann"],
  [
    "chat, safety_identifier",
    postTo("/v1/chat/completions", { model: "chat", messages, user: "ann", safety_identifier: "hash" }),
    "hash",
  ],
  ["responses", postTo("/v1/responses", { model: "chat", input: "Hello", user: "ann" }), "ann"],
  [
    "messages",
    (headers) =>
      postTo("/v1/messages", { model: "chat", max_tokens: 5, messages, metadata: { user_id: "bea" } })({
        ...version,
        ...headers,
      }),
    "bea",
  ],
  ["completions", postTo("/v1/completions", { model: "chat", prompt: "Hello", user: "ann" }), "ann"],
  ["content", postTo("/v1beta/models/chat:generateContent", { contents: [{ parts: [{ text: "Hello" }] }] })],
  ["embeddings", postTo("/v1/embeddings", { model: "embed", input: "Hello", user: "ann" }), "ann"],
  ["images", postTo("/v1/images/generations", { model: "sketch", prompt: "a cat", user: "ann" }), "ann"],
  ["speech", postTo("/v1/audio/speech", { model: "voice", voice: "alloy", input: "Hello" })],
  ["video", film],
  ["realtime", talk],
];

function eventOf(place: number): Promise<UsageEvent> {
  return until(`the event of ${calls[place]?.[0]}`, async () => {
    const found = await storedEvents(suite.backends.natsUrl);
    return found.find(({ event }) => event.tags?.["place"] === String(place))?.event;
  });
}

test.each(calls.map(([name, ask, endUser], place) => ({ name, ask, endUser, place })))(
  "$name: tags and end user are in the usage event, and no vendor gets the header",
  async ({ ask, endUser, place }) => {
    expect(await ask({ "x-modelgate-tags": `team=search, place=${place}` })).toBe(200);
    expect(await eventOf(place)).toMatchObject({ tags: { team: "search", place: String(place) } });
    expect((await eventOf(place)).endUser).toBe(endUser);
    for (const { headers } of await suite.simulator.requests("main"))
      expect(Object.keys(headers).filter((name) => name.startsWith("x-modelgate"))).toEqual([]);
  },
);

test("a client's member is forwarded to a vendor that knows it", async () => {
  await post(suite, { ...hello("chat", "Whose"), user: "ann", safety_identifier: "hash" });
  const vendorRequest = (await suite.simulator.requests("main")).find(({ body }) => body.includes("Whose"));
  expect(JSON.parse(vendorRequest?.body ?? "{}")).toMatchObject({ user: "ann", safety_identifier: "hash" });
});

test.each(calls.filter(([name]) => name !== "realtime").map(([name, ask]) => ({ name, ask })))(
  "$name: malformed tags get 400, nothing is sent and nothing charged",
  async ({ ask }) => {
    const before = (await suite.simulator.requests("main")).length;
    expect(await ask({ "x-modelgate-tags": "team" })).toBe(400);
    expect(await suite.simulator.requests("main")).toHaveLength(before);
  },
);

test("a session with malformed tags is refused before it is opened", async () => {
  const refused = await fetch(`${suite.edgeUrl}/v1/realtime?model=talk`, {
    headers: { authorization: `Bearer ${keys.demo}`, "x-modelgate-tags": "team" },
  });
  expect(refused.status).toBe(400);
  await expect(openSession(suite, { model: "talk", headers: { "x-modelgate-tags": "team" } })).rejects.toThrow(/400/);
});

test.each([
  ["/v1/chat/completions", { error: { code: "invalid_value", param: "x-modelgate-tags" } }],
  ["/v1/messages", { type: "error", error: { type: "invalid_request_error" } }],
  ["/v1beta/models/chat:generateContent", { error: { code: 400, status: "INVALID_ARGUMENT" } }],
])("%s: the refusal is in its format and names the header", async (path, shape) => {
  const answer = await fetch(suite.edgeUrl + path, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, "x-modelgate-tags": "=", ...version },
    body: "{}",
  });
  const body = await answer.json();
  expect([answer.status, body]).toMatchObject([400, shape]);
  expect(JSON.stringify(body)).toContain("x-modelgate-tags");
});

test("usage is grouped and filtered by tag and by end user", async () => {
  type Row = { readonly by: Readonly<Record<string, string>>; readonly sums: Readonly<Record<string, string>> };
  const by = (dimensions: string, more = "") => read<readonly Row[]>(suite, `/usage?by=${dimensions}${more}`);
  const listed = async (filter: string) =>
    (await read<{ readonly events: readonly UsageEvent[] }>(suite, `/usage/events?${filter}`)).events;
  const rows = await until("every call to be in the books", async () => {
    const found = await by("tag:team");
    const callsOf = (team: string) => Number(found.find(({ by }) => by["tag:team"] === team)?.sums["calls"] ?? 0);
    return callsOf("search") >= calls.length && callsOf("") > 0 && found;
  });
  expect(rows.map(({ by }) => by["tag:team"])).toEqual(["", "search"]);
  const named = calls.flatMap(([, , endUser]) => endUser ?? []);
  for (const { by: names, sums } of await by("endUser", "&tag=team=search"))
    expect(Number(sums["calls"])).toBe(
      names["endUser"] === ""
        ? calls.length - named.length
        : named.filter((endUser) => endUser === names["endUser"]).length,
    );
  const [event] = await listed("tag=team=search,place=3");
  expect(event).toMatchObject({ endUser: "bea", tags: { place: "3" } });
  expect(await listed("end-user=bea")).toEqual([event]);
  expect(await listed("end-user=bea&tag=place=0")).toEqual([]);
  expect(await by("model", `&request-id=${event?.requestId}`)).toMatchObject([
    { by: { model: "chat" }, sums: { calls: "1" } },
  ]);
});

test("gatectl accepts tags and end users, and names an invalid option", async () => {
  const [table, exported, wrong] = await Promise.all([
    suite.gatectl("usage", "--by", "tag:place", "--end-user", "bea"),
    suite.gatectl("usage", "export", "--tag", "place=3"),
    suite.gatectl("usage", "list", "--tag", "team"),
  ]);
  expect(table.stdout).toMatch(/^TAG:PLACE.*\n3 /);
  expect(exported.stdout.split("\r\n")[1]).toContain('bea,,,"team=search,place=3"');
  expect(wrong.stderr).toContain("tag must be name=value");
});
