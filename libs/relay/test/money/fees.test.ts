import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePrice, costOf, Failure, type TextWireName, type ConfiguredPrice } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { wires } from "@modelgate/wires/text";
import type { Exchange } from "../../src/answers/exchange.ts";
import { expectText } from "../../src/money/expect.ts";
import { CallFees, type FeesOptions } from "../../src/money/fees.ts";

const written: ConfiguredPrice = {
  input: 1,
  output: 10,
  tiers: [{ above: 10_000, input: 2, output: 15 }],
  serviceTiers: { flex: 0.5, priority: 2 },
  tools: { webSearch: 0.01, imageGeneration: 0.04 },
};
const limits = { toolCalls: 4, toolTokens: 100 };

function feesOf(body: JsonRecord, options: Partial<FeesOptions> = {}, wire: TextWireName = "responses"): CallFees {
  return new CallFees({
    requested: wires[wire].vendor.requestedFees(body),
    price: compilePrice(written),
    unpriced: "refuse",
    limits,
    allow(model) {
      if (model !== "draw") throw new Failure("model_not_allowed", "Not this one.", { param: "model" });
    },
    ...options,
  });
}

function exchange(body: JsonRecord, more: Partial<Exchange> = {}): Exchange {
  return {
    wire: "responses",
    body: Buffer.from(JSON.stringify(body)),
    capTools: wires.responses.vendor.capTools,
    isStreamed: false,
    dropped: [],
    read: () => ({ kind: "complete", read: (bytes) => Promise.resolve({ body: bytes, words: () => "" }) }),
    ...more,
  };
}

const refusal = (run: () => unknown): unknown => {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof Failure ? { code: error.code, param: error.param } : error;
  }
};

describe("charges without a price", () => {
  const cases: readonly (readonly [JsonRecord, string])[] = [
    [{ tools: [{ type: "function" }, { type: "code_interpreter" }] }, "tools[1]"],
    [{ tools: [{ type: "something_new" }] }, "tools[0]"],
    [{ tools: [{ type: "image_generation", quality: "high" }] }, "tools[0].quality"],
    [{ service_tier: "scale" }, "service_tier"],
  ];
  test.each(cases)("%j is refused with its path, and passes if the group allows it", (body, param) => {
    expect(refusal(() => feesOf(body).checkExchange(exchange(body)))).toEqual({ code: "unsupported_parameter", param });
    expect(refusal(() => feesOf(body, { unpriced: "pass" }).checkExchange(exchange(body)))).toBeUndefined();
  });

  test.each([
    { service_tier: "flex" },
    { service_tier: "default" },
    { service_tier: "priority" },
    { tools: [{ type: "web_search" }] },
    { tools: [{ type: "image_generation", model: "draw" }] },
  ])("%j has a price, or costs no more than usual", (body) => {
    expect(refusal(() => feesOf(body).checkExchange(exchange(body)))).toBeUndefined();
  });

  test.each<readonly [TextWireName, JsonRecord]>([
    ["responses", { type: "mcp" }],
    ["messages", { type: "web_fetch_20250910" }],
    ["messages", { type: "mcp_toolset" }],
    ["content", { urlContext: {}, codeExecution: {} }],
    ["interactions", { type: "url_context" }],
    ["interactions", { type: "code_execution" }],
  ])("%s %j costs only its tokens, for which money is held", (wire, tool) => {
    const fees = feesOf({ tools: [tool] }, {}, wire);
    expect(refusal(() => fees.checkExchange(exchange({ tools: [tool] }, { wire })))).toBeUndefined();
    expect(fees.maxFees.inputTokens).toBeGreaterThanOrEqual(limits.toolCalls * limits.toolTokens);
    expect(fees.maxFees.units).toEqual({});
  });

  test("an advisor costs its model's tokens, for which money is held at the higher price", () => {
    const body = { tools: [{ type: "advisor_20260301", model: "opus", max_uses: 2 }] };
    const opus = compilePrice({ input: 50, output: 250 });
    const fees = feesOf(body, { fallbackPrice: (name) => (name === "opus" ? opus : undefined) }, "messages");
    expect(refusal(() => fees.checkExchange(exchange(body, { wire: "messages" })))).toBeUndefined();
    expect(fees.maxFees).toMatchObject({ inputTokens: 2 * limits.toolTokens, price: opus });
    expect(refusal(() => feesOf(body, {}, "messages").checkExchange(exchange(body, { wire: "messages" })))).toEqual({
      code: "unsupported_parameter",
      param: "tools[0].model",
    });
  });

  test("money is held for an advisor that reads the whole request in each call", () => {
    const price = compilePrice({ input: 1, output: 1 });
    const tools = [{ type: "advisor_20260301", model: "opus", max_uses: 2 }];
    const model = { name: "m", kind: "chat" as const, ownedBy: "o", price };
    const held = (fees: CallFees) =>
      expectText(
        { textBytes: 4_000, mediaTokens: 100_000, maxOutputTokens: 1, choices: 1, fees: fees.maxFees },
        model,
        1,
        1,
      ).upperNanos;
    const options = { price, fallbackPrice: () => price };
    const more = held(feesOf({ tools }, options, "messages")) - held(feesOf({}, options, "messages"));
    expect(more).toBeGreaterThan(costOf({ inputTokens: 2 * 101_000, outputTokens: 2 * 1_800 }, price, 1));
  });

  test("a model that a tool names must be allowed for the caller, even where tools pass", () => {
    const body = { tools: [{ type: "image_generation", model: "other" }] };
    for (const unpriced of ["refuse", "pass"] as const)
      expect(refusal(() => feesOf(body, { unpriced }).checkExchange(exchange(body)))).toEqual({
        code: "model_not_allowed",
        param: "tools[0].model",
      });
  });

  test("is ignored for a vendor that does not get it", () => {
    const fees = feesOf({ tools: [{ type: "code_interpreter" }], service_tier: "scale" });
    expect(
      refusal(() => fees.checkExchange(exchange({}, { requestedFees: { tools: [], tiers: [] } }))),
    ).toBeUndefined();
    expect(fees.billFor({ inputTokens: 1 })).toMatchObject({ units: { inputTokens: 1 }, isTierUnpriced: false });
  });

  test.each([
    [["service_tier", "tools"], 1, {}],
    [["tools"], 2, {}],
    [["service_tier"], 1, { webSearches: 1 }],
    [["tools[1]", "tool"], 2, { webSearches: 1 }],
  ])("without the dropped fields %j the call costs %s times the default price", (dropped, factor, units) => {
    const tools = [{ path: "tools[0]", unit: "webSearches", isUnreported: true } as const];
    const requested = { tools, tiers: [{ path: "service_tier", name: "priority" }] };
    const fees = feesOf({}, { requested });
    fees.checkExchange(exchange({}, { dropped }));
    const bill = fees.billFor({ inputTokens: 1 });
    expect(bill.units).toEqual({ inputTokens: 1, ...units });
    expect(bill.price.factor).toBe(compilePrice(written).factor * BigInt(factor));
  });

  test("is refused if another wire's request would state it differently", () => {
    const fees = feesOf({ tools: [{ functionDeclarations: [] }, { fileSearch: {} }] }, {}, "content");
    const requestedFees = { tools: [{ path: "tools[0]", unit: "fileSearches" as const }], tiers: [] };
    expect(refusal(() => fees.checkExchange(exchange({}, { requestedFees })))).toMatchObject({
      param: "tools[1].fileSearch",
    });
  });
});

test.each([
  [{ priority: 2, fast: 6 }, 2],
  [{ fast: 6 }, 1],
])("without a requested tier, money is held for priority, but not for fast: %j", (tiers, factor) => {
  const { price } = feesOf({}, { price: compilePrice({ output: 10, serviceTiers: tiers }) }).maxFees;
  expect(costOf({ outputTokens: 1_000 }, price, 1)).toBe(BigInt(factor) * 10_000_000n);
});

test("tools with a price are limited at the vendor; tools without a price are forwarded unchanged", () => {
  const search = { tools: [{ type: "web_search" }] };
  const cappedBody = (fees: CallFees, body: JsonRecord): unknown => {
    const checked = fees.checkExchange(exchange(body)).body;
    return Buffer.isBuffer(checked) ? JSON.parse(checked.toString()) : undefined;
  };
  expect(cappedBody(feesOf(search), search)).toMatchObject({ max_tool_calls: 4 });
  const mcp = { tools: [{ type: "mcp", server_label: "s" }] };
  expect(cappedBody(feesOf(mcp), mcp)).toMatchObject({ max_tool_calls: 4 });
  const other = { tools: [{ type: "something_new" }] };
  expect(cappedBody(feesOf(other, { unpriced: "pass" }), other)).toEqual(other);
});

describe("the service tier", () => {
  test.each<[JsonRecord, string | undefined, number, string | undefined, boolean]>([
    [{}, undefined, 1, undefined, false],
    [{}, "default", 1, undefined, false],
    [{}, "priority", 2, "priority", false],
    [{ service_tier: "priority" }, undefined, 2, "priority", false],
    [{ service_tier: "priority" }, "default", 1, undefined, false],
    [{ service_tier: "flex" }, "flex", 0.5, "flex", false],
    // The answer does not confirm the cheaper tier.
    [{ service_tier: "flex" }, undefined, 1, undefined, false],
    [{ service_tier: "flex" }, "default", 1, undefined, false],
    [{ service_tier: "scale" }, "scale", 1, "scale", true],
    [{}, "batch", 1, "batch", false],
    // Another tier than the sent one has its own price, or none.
    [{ service_tier: "priority" }, "scale", 1, "scale", true],
  ])("%j, served at %s, costs %s times the default price", (body, served, factor, serviceTier, isTierUnpriced) => {
    const fees = feesOf(body, { unpriced: "pass" });
    fees.checkExchange(exchange(body));
    fees.recordReported(served === undefined ? undefined : { tier: served });
    const billed = fees.billFor({ outputTokens: 1_000 });
    expect(Number(costOf(billed.units, billed.price, 1))).toBe(10_000_000 * factor);
    expect(billed).toMatchObject({ isTierUnpriced });
    expect(billed.serviceTier).toBe(serviceTier);
  });

  test.each([
    ["fast", "fast"],
    ["fast", "priority"],
    ["priority", "fast"],
    ["priority", "priority"],
  ])("a factor of %s applies to OpenAI's tier %s, which answers report as priority", (priced, requested) => {
    const price = compilePrice({ output: 10, serviceTiers: { [priced]: 2 } });
    const body = { service_tier: requested };
    const fees = feesOf(body, { price });
    fees.checkExchange(exchange(body));
    fees.recordReported(wires.responses.pass.fees({ output: [], service_tier: "priority" }));
    const billed = fees.billFor({ outputTokens: 1_000 });
    for (const { price: due } of [billed, fees.maxFees])
      expect(costOf({ outputTokens: 1_000 }, due, 1)).toBe(20_000_000n);
    expect(billed.isTierUnpriced).toBe(false);
  });

  test.each(["chat", "responses"] as const)("a factor of fast applies to a tier that OpenAI chose (%s)", (wire) => {
    const fees = feesOf({}, { price: compilePrice({ output: 10, serviceTiers: { fast: 2 } }) }, wire);
    fees.checkExchange(exchange({}));
    fees.recordReported(wires[wire].pass.fees({ output: [], choices: [], service_tier: "priority" }));
    const billed = fees.billFor({ outputTokens: 1_000 });
    expect(billed).toMatchObject({ serviceTier: "fast", isTierUnpriced: false });
    expect(costOf({ outputTokens: 1_000 }, billed.price, 1)).toBe(20_000_000n);
  });
});

test("calls are counted once however often an answer reports them, and again with every attempt", () => {
  const body = { tools: [{ type: "web_search" }] };
  const fees = feesOf(body);
  fees.checkExchange(exchange(body));
  fees.recordReported({ calls: [{ unit: "webSearches", id: "1" }] });
  fees.recordReported({ calls: ["1", "2"].map((id) => ({ unit: "webSearches", id })) });
  expect(fees.billFor({}).units).toEqual({ webSearches: 2 });
  fees.recordReported({ counts: { webSearches: 3 } });
  expect(fees.billFor({}).units).toEqual({ webSearches: 3 });
  fees.checkExchange(exchange(body));
  expect(fees.billFor({}).units).toEqual({});
});

test.each([1e308, Number.POSITIVE_INFINITY])("the hold for a limit of %s calls has the countable maximum", (limit) => {
  const { units, inputTokens } = feesOf({ tools: [{ type: "web_search" }], max_tool_calls: limit }).maxFees;
  for (const amount of [units.webSearches, inputTokens]) expect(Number.isSafeInteger(amount)).toBe(true);
});

test("a vendor's report of more calls than possible is capped", () => {
  const fees = feesOf({});
  fees.recordReported({ counts: { webSearches: 1e300 } });
  expect(fees.billFor({}).units.webSearches).toBeLessThanOrEqual(1_000);
});

test("a search that the chat wire cannot report counts as one if there was an answer", () => {
  const body = { web_search_options: {} };
  const fees = feesOf(body, {}, "chat");
  fees.checkExchange(exchange(body, { wire: "chat" }));
  expect(fees.billFor({}).units).toEqual({});
  expect(fees.billFor({ inputTokens: 1 }).units).toEqual({ inputTokens: 1, webSearches: 1 });
});

test.each([
  ["web_search_20250305", { webSearches: 1, codeInterpreters: 1 }],
  ["web_search_20260209", { webSearches: 1 }],
])("code that runs in a request with %s is charged as %j", (type, units) => {
  const body = { tools: [{ type }] };
  const fees = feesOf(body, {}, "messages");
  fees.checkExchange(exchange(body, { wire: "messages" }));
  fees.recordReported({ counts: { webSearches: 1, codeInterpreters: 1 } });
  expect(fees.billFor({}).units).toEqual(units);
});

test("a hold covers every bill within its limits: tokens, tools and the service tier", () => {
  const requestedFees = fc.record(
    {
      service_tier: fc.constantFrom("auto", "default", "flex", "priority"),
      tools: fc.subarray([{ type: "web_search" }, { type: "image_generation" }]),
      max_tool_calls: fc.nat({ max: 9 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      requestedFees,
      fc.nat({ max: 30_000 }),
      fc.nat({ max: 5_000 }),
      fc.nat({ max: 100 }),
      fc.constantFrom(undefined, "default", "flex", "priority"),
      (body, textBytes, output, share, served) => {
        const fees = feesOf(body);
        fees.checkExchange(exchange(body));
        const model = { name: "m", kind: "chat" as const, ownedBy: "o", price: compilePrice(written) };
        const size = { textBytes, mediaTokens: 0, maxOutputTokens: output, choices: 1, fees: fees.maxFees };
        const { upperNanos } = expectText(size, model, 1.5, output);
        // A vendor serves a more expensive tier than the requested one only if it may choose the tier (`auto`).
        const requestedTier = body.service_tier ?? "auto";
        const isMoreExpensive = served === "priority" && requestedTier !== "priority" && requestedTier !== "auto";
        if (served !== undefined && !isMoreExpensive) fees.recordReported({ tier: served });
        const calls = Math.floor(((body.max_tool_calls ?? limits.toolCalls) * share) / 100);
        const callsOf = (type: string): number => (body.tools?.some((tool) => tool.type === type) === true ? calls : 0);
        fees.recordReported({
          counts: { webSearches: callsOf("web_search"), imageGenerations: callsOf("image_generation") },
        });
        const tokensFromTools =
          (callsOf("web_search") + callsOf("image_generation") > 0 ? calls : 0) * limits.toolTokens;
        const used = {
          inputTokens: Math.floor((textBytes * share) / 100) + tokensFromTools,
          outputTokens: output,
          requests: 1,
        };
        const { units, price } = fees.billFor(used);
        expect(costOf(units, price, 1.5) <= upperNanos).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
