import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { errorOf } from "./cells.ts";
import { clients } from "./clients/index.ts";
import { channelOf, keyOf, startHouse } from "./house.ts";
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

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse({
    models: Object.fromEntries(places.map(({ id }) => [id, { kind: "chat" }])),
    channels: places.map(({ vendor, id }) => channelOf(vendor, id, { [id]: vendor.model })),
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

/** What a broken stream tells of why: a converted one of the responses wire ends as a failed response. */
function streamError({ wire, name }: Client, vendor: Vendor): object {
  const [family = ""] = name.split(" ");
  const className = streamClasses[family];
  if (wire !== "responses") return { className, body: brokenBodies[wire] };
  if (vendor.wire === "responses") return { className, body: { type: "error", code: "upstream_error" } };
  if (family === "ai") return { className, body: { type: "response.failed", response: { error: failed } } };
  return { className: "response.failed", body: failed };
}

const failed = { code: "server_error" };

/** How each wire's body tells an overloaded or broken vendor. */
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
      const error = await errorFor("overloaded", { status: vendor.wire === "messages" ? 529 : 503 }, { stream: true });
      expect(error).toMatchObject({ className: named[502], status: 502, body: brokenBodies[client.wire] });
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
      expect(error).toMatchObject(streamError(client, vendor));
    });
  });
});
