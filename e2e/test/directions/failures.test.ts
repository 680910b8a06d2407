import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until, type Suite } from "@modelgate/testkit";
import { errorOf } from "./cells.ts";
import { clients } from "./clients/index.ts";
import { channelOf, keyOf, price, settled, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import type { Client, Question } from "./question.ts";
import { vendors, type Vendor } from "./vendors.ts";

const faults = ["limited", "overloaded", "refusing", "breaking", "cut"] as const;
type Fault = (typeof faults)[number];

/** Every direction has a channel of its own for every fault, as channels rest after one. */
const channelFor = (fault: Fault, client: Client, vendor: Vendor): string =>
  `${fault}-${client.name}-${vendor.name}`.replaceAll(" ", "-");
const places = faults.flatMap((fault) =>
  clients.flatMap((client) => vendors.map((vendor) => ({ vendor, id: channelFor(fault, client, vendor) }))),
);

/** A model at two vendors of different wires, the first of which is asked first. */
const pairs = vendors.map((first, at) => {
  const second =
    vendors
      .slice(at + 1)
      .concat(vendors)
      .find(({ wire }) => wire !== first.wire) ?? first;
  return { first, second, model: `${first.name}-before-${second.name}` };
});

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse({
    models: Object.fromEntries(
      [...places.map(({ id }) => id), ...pairs.map(({ model }) => model)].map((id) => [
        id,
        { kind: "chat", price: { ...price } },
      ]),
    ),
    channels: [
      ...places.map(({ vendor, id }) => channelOf(vendor, id, { [id]: vendor.model })),
      ...pairs.flatMap(({ first, second, model }) => [
        { ...channelOf(first, `${model}-1`, { [model]: first.model }), priority: 10 },
        channelOf(second, `${model}-2`, { [model]: second.model }),
      ]),
    ],
  });
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

/** What each SDK makes of an error's status. */
const classes: Readonly<Record<string, Readonly<Record<400 | 429 | 502, string>>>> = {
  openai: { 400: "BadRequestError", 429: "RateLimitError", 502: "InternalServerError" },
  anthropic: { 400: "BadRequestError", 429: "RateLimitError", 502: "InternalServerError" },
  genai: { 400: "ApiError", 429: "ApiError", 502: "ApiError" },
  ai: { 400: "AI_APICallError", 429: "AI_APICallError", 502: "AI_APICallError" },
};

/** What each SDK makes of an error in the middle of a stream. */
const streamClasses: Readonly<Record<string, string>> = {
  openai: "APIError",
  anthropic: "APIError",
  genai: "ApiError",
  ai: "AI_StreamProviderError",
};

/** The reason in a broken stream: a converted one of the responses wire ends as a failed response. */
function streamError({ wire, name }: Client, vendor: Vendor, fault: Fault): object {
  const [family = ""] = name.split(" ");
  const className = streamClasses[family];
  // The vendor of messages says why it breaks: that it has too much to do.
  const says = fault === "breaking" && vendor.wire === "messages";
  if (wire !== "responses") return { className, body: (says ? overloadedBodies : brokenBodies)[wire] };
  if (vendor.wire === "responses") return { className, body: { type: "error", code: "upstream_error" } };
  if (family === "ai") return { className, body: { type: "response.failed", response: { error: failed } } };
  return { className: "response.failed", body: failed };
}

const failed = { code: "server_error" };

/** Each wire's body for a vendor that says of itself that it has too much to do. */
const overloadedBodies = {
  chat: { type: "upstream_error", code: "upstream_overloaded" },
  responses: { type: "upstream_error", code: "upstream_overloaded" },
  messages: { type: "overloaded_error" },
  content: { code: 502, status: "INTERNAL" },
} as const;

/** Each wire's body for a broken vendor. */
const brokenBodies = {
  chat: { type: "upstream_error", code: "upstream_error" },
  responses: { type: "upstream_error", code: "upstream_error" },
  messages: { type: "api_error" },
  content: { code: 502, status: "INTERNAL" },
} as const;

const limitedBodies = {
  chat: { type: "rate_limit_error", code: "upstream_rate_limited" },
  responses: { type: "rate_limit_error", code: "upstream_rate_limited" },
  messages: { type: "rate_limit_error" },
  content: { code: 429, status: "RESOURCE_EXHAUSTED" },
} as const;

const refusedBodies = {
  chat: { type: "invalid_request_error" },
  responses: { type: "invalid_request_error" },
  messages: { type: "invalid_request_error" },
  content: { code: 400, status: "INVALID_ARGUMENT" },
} as const;

describe.each(clients)("$name", (client) => {
  const named = classes[client.name.split(" ")[0] ?? ""] ?? { 400: "", 429: "", 502: "" };
  describe.each(vendors)("to $name", (vendor) => {
    const errorFor = async (fault: Fault, behaviour: object, more: Partial<Question> = {}) => {
      const model = channelFor(fault, client, vendor);
      await suite.simulator.script(model, [{ ...behaviour, repeat: true }]);
      const question = { model, stream: false, said: [{ text: "Hello" }], ...more };
      return errorOf(client, client.ask(suite, keyOf("demo"), question));
    };

    test("a vendor's rate limit", async () => {
      const error = await errorFor("limited", { status: 429, retryAfter: "7" });
      expect(error).toMatchObject({ className: named[429], status: 429, body: limitedBodies[client.wire] });
    });

    test("an overloaded vendor", async () => {
      const isOverloaded = vendor.wire === "messages";
      const error = await errorFor("overloaded", { status: isOverloaded ? 529 : 503 }, { stream: true });
      const body = (isOverloaded ? overloadedBodies : brokenBodies)[client.wire];
      expect(error).toMatchObject({ className: named[502], status: 502, body });
    });

    test("a vendor that refuses the input is heard in its own words, without its addresses", async () => {
      const errorMessage = "too long: see https://vendor.example/limits";
      const error = await errorFor("refusing", { status: 400, errorMessage });
      expect(error).toMatchObject({ className: named[400], status: 400, body: refusedBodies[client.wire] });
      expect(error.message).toContain("too long: see [address]");
    });

    test.each<[Fault, object]>([
      ["breaking", { errorAfterChunks: 4 }],
      ["cut", { cutAfterChunks: 4 }],
    ])("a stream that is %s in its middle", async (fault, behaviour) => {
      const paced = { ...behaviour, chunks: 20, chunkDelayMs: 2, text: "one two three four five six seven eight" };
      const error = await errorFor(fault, paced, { stream: true });
      expect(error).toMatchObject(streamError(client, vendor, fault));
    });
  });
});

describe.each(pairs)("a vendor that fails is followed by one of another wire: $model", ({ model, second }) => {
  test.each(clients)("$name", async (client) => {
    const { hint } = client;
    await suite.simulator.script(`${model}-1`, [{ status: 500, repeat: true }]);
    for (const stream of [false, true]) {
      const question = { model, stream, said: [{ text: "Hello" }], ...hint.question };
      const heard = await client.ask(suite, keyOf("demo"), question);
      expect(heard.text).toBe("You said: Hello");
      // What is lost is what the vendor that answered could not take.
      expect(heard.dropped).toEqual(hint.lostBy.includes(second.name) ? [hint.word] : []);
    }
    // After some failures it rests, and is not asked first any more.
    expect(await suite.simulator.requests(`${model}-1`)).not.toEqual([]);
  });
});

/** As long as any test needs, and slow enough to be left. */
const endless = { chunks: 10_000, chunkDelayMs: 5 };

describe.each(clients)("$name: what came is paid for", (client) => {
  test.each(vendors)("of a stream that $name breaks", async (vendor) => {
    const model = channelFor("breaking", client, vendor);
    const text = "one two three four five ".repeat(10);
    await suite.simulator.script(model, [{ errorAfterChunks: 20, chunks: 40, chunkDelayMs: 1, text }]);
    const before = await settled(suite);
    const question = { model, stream: true, said: [{ text: "Hello" }] };
    await errorOf(client, client.ask(suite, keyOf("demo"), question));
    expect(before - (await settled(suite))).toBeGreaterThan(0n);
  });
});

const paths = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  content: "/v1beta/models/MODEL:streamGenerateContent?alt=sse",
} as const;

describe.each(Object.entries(paths))("a client of %s that leaves", (wire, path) => {
  test.each(vendors)("ends the work of $name and pays for what came", async ({ name: model }) => {
    await suite.simulator.forget(model);
    const before = await settled(suite);
    const said = `{{simulate: ${JSON.stringify(endless)}}}`;
    const messages = [{ role: "user", content: said }];
    const bodies: Readonly<Record<string, object>> = {
      responses: { model, stream: true, input: said },
      content: { contents: [{ role: "user", parts: [{ text: said }] }] },
    };
    const leaving = new AbortController();
    const answer = await fetch(suite.edgeUrl + path.replace("MODEL", model), {
      method: "POST",
      signal: leaving.signal,
      headers: {
        authorization: `Bearer ${keyOf("demo")}`,
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
      },
      body: JSON.stringify(bodies[wire] ?? { model, stream: true, max_tokens: 100_000, messages }),
    });
    const reader = answer.body?.getReader();
    for (let at = 0; at < 20; at++) await reader?.read();
    leaving.abort();
    await until(
      "the vendor to see it",
      async () => (await suite.simulator.requests(model))[0]?.aborted === true,
      2_000,
    );
    expect(before - (await settled(suite))).toBeGreaterThan(0n);
  });
});
