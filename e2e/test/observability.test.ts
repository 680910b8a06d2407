import { afterAll, beforeAll, expect, test } from "vitest";
import { startSuite, until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { startCollector, type OtlpCollector } from "./otlp-collector.ts";
import { channel, config, hello, keys, post } from "./suite-client.ts";

/** Span in OTLP's JSON. */
interface Received {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue?: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<Received, "service">[] }[];
  }[];
}

/** Secrets that must not leak. The vendor's key has no known prefix. */
const canary = {
  client: "sk-canary-client-0123456789",
  vendor: "canaryVendorKey0123456789",
  prompt: "canary-of-the-prompt",
};

let collector: OtlpCollector;
let suite: Suite;

beforeAll(async () => {
  collector = await startCollector();
  suite = await startSuite({
    shape: "apart",
    config: {
      ...config,
      models: {
        ...config.models,
        refused: { kind: "chat", price: { input: 1, output: 1 } },
        shaky: { kind: "chat", price: { input: 1, output: 1 } },
      },
      channels: [
        channel("main", ["chat", "fixed"], { keys: [canary.vendor] }),
        channel("shaky", ["shaky"], { keys: [canary.vendor] }),
        channel("broken", ["refused"], { keys: [`bad-${canary.vendor}`] }),
      ],
      accounts: {
        ...config.accounts,
        canary: { balance: "10.00", tokens: [{ key: canary.client, group: "default" }] },
      },
    },
    env: { LOG_LEVEL: "trace", ...collector.env },
  });
});
afterAll(async () => {
  await suite?.[Symbol.asyncDispose]();
  collector?.[Symbol.dispose]();
});

const spans = (): readonly Received[] =>
  collector.exported.flatMap((text) => {
    const { resourceSpans }: Export = JSON.parse(text);
    return resourceSpans.flatMap(({ resource, scopeSpans }) => {
      const name = resource.attributes.find(({ key }) => key === "service.name");
      return scopeSpans.flatMap((scope) =>
        scope.spans.map((span) => ({ ...span, service: name?.value.stringValue ?? "" })),
      );
    });
  });

test("a trace continues from the client through edge and service to the vendor", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  await suite.simulator.forget("main");
  expect((await post(suite, hello("chat"), keys.demo, { traceparent })).status).toBe(200);
  const ofTrace = await until("three spans", () => {
    const found = spans().filter((span) => span.traceId === traceId);
    return found.length >= 3 && found;
  });
  const [edge, text, vendor] = ["edge", "text", "call chat"].map((word) =>
    ofTrace.find(({ service, name }) => name === word || (service === word && !name.startsWith("call "))),
  );
  expect(edge?.parentSpanId).toBe("00f067aa0ba902b7");
  expect(text?.parentSpanId).toBe(edge?.spanId);
  expect(vendor?.parentSpanId).toBe(text?.spanId);
  const [vendorRequest] = await suite.simulator.requests("main");
  expect(vendorRequest?.headers["traceparent"]).toBe(`00-${traceId}-${vendor?.spanId ?? ""}-01`);
});

test("exported spans have OpenTelemetry's attributes for generative AI and the cost, and no content", async () => {
  const traceId = "5bf92f3577b34da6a3ce929d0e0e4737";
  const usage = { inputTokens: 120, cachedTokens: 100, outputTokens: 3 };
  const prompt = `${canary.prompt} ${"word ".repeat(300)} {{simulate: ${JSON.stringify({ usage })}}}`;
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const answer = await post(suite, hello("chat", prompt), keys.demo, { traceparent });
  const { usage: billed } = JSON.parse(await answer.text());
  const ofTrace = await until("the spans of the call", () => {
    const found = spans().filter((span) => span.traceId === traceId);
    return found.length >= 3 && found;
  });
  const call = ofTrace.find(({ service, name }) => service === "text" && !name.startsWith("call "));
  const attributes = Object.fromEntries(
    (call?.attributes ?? []).map(({ key, value }) => [
      key,
      value.stringValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
  expect(attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "chat",
    "gen_ai.response.model": "chat",
    "gen_ai.usage.input_tokens": billed.prompt_tokens,
    "gen_ai.usage.output_tokens": billed.completion_tokens,
    "gen_ai.usage.cache_read.input_tokens": billed.prompt_tokens_details.cached_tokens,
    "modelgate.cost_usd": Number(answer.headers.get("x-modelgate-cost")),
  });
  expect(billed).toMatchObject({ completion_tokens: 3, prompt_tokens_details: { cached_tokens: 100 } });
  const attempt = ofTrace.find(({ name }) => name === "call chat");
  expect(attempt?.attributes.map(({ key }) => key)).toEqual(
    expect.arrayContaining(["gen_ai.provider.name", "gen_ai.request.model", "modelgate.channel"]),
  );
  expect(JSON.stringify(ofTrace)).not.toContain(canary.prompt);
});

test("an invalid trace context is not forwarded", async () => {
  await suite.simulator.forget("main");
  await post(suite, hello("chat"), keys.demo, { traceparent: "00-nonsense" });
  const [vendorRequest] = await suite.simulator.requests("main");
  expect(vendorRequest?.headers["traceparent"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

test("metrics count calls by the conventions' names, with labels of bounded number", async () => {
  const stream = await post(suite, { ...hello("chat"), stream: true });
  await stream.text();
  await fetch(`${suite.edgeUrl}/v1/made-up-${Date.now()}`, { headers: { authorization: `Bearer ${keys.demo}` } });
  await post(suite, hello(`made-up-${Date.now()}`));
  const text = await until("the call to be counted", async () => {
    const all = await metrics("text");
    return all.includes("gen_ai_client_operation_time_to_first_chunk_seconds_count{") && all;
  });
  expect(text).toMatch(
    /gen_ai_client_token_usage_sum\{(?=[^}]*gen_ai_operation_name="chat")(?=[^}]*gen_ai_provider_name="openai")(?=[^}]*gen_ai_request_model="chat")(?=[^}]*gen_ai_token_type="output")[^}]*\} [1-9]/,
  );
  expect(text).toMatch(/modelgate_calls_total\{[^}]*outcome="completed"[^}]*\} [1-9]/);
  expect(text).toMatch(/modelgate_channel_attempts_total\{channel="main",result="ok"[^}]*\} [1-9]/);
  const edge = await metrics("edge");
  expect(edge).toMatch(/modelgate_limiter_decisions_total\{decision="admitted"[^}]*\} [1-9]/);
  expect(edge).toMatch(/http_server_request_duration_seconds_count\{[^}]*http_route="none"[^}]*status_code="404"/);
  for (const all of [text, edge]) expect(all).not.toContain("made-up");
});

test("open calls are counted only while they are open", async () => {
  const gauges = [
    ["edge", "http_server_active_requests", ""],
    ["edge", "modelgate_leases_held", 'kind="seats"'],
    ["text", "http_server_active_requests", ""],
    ["text", "modelgate_leases_held", 'kind="holds"'],
    ["text", "modelgate_open_streams", ""],
    ["ledger", "modelgate_holds_open", ""],
  ] as const;
  const values = () =>
    Promise.all(
      gauges.map(async ([service, name, label]) => {
        const line = new RegExp(`^${name}\\{[^}]*${label}[^}]*\\} (\\d+)$`, "m").exec(await metrics(service));
        return Number(line?.[1] ?? 0);
      }),
    );
  await until("no call of an earlier test to be open", async () => (await values()).every((value) => value === 0));
  const stream = await post(
    suite,
    { ...hello("chat", '{{simulate: {"chunks": 100000, "chunkDelayMs": 20}}}'), stream: true },
    keys.single,
  );
  await until("the stream to be counted", async () => (await values()).every((value) => value === 1));
  await stream.body?.cancel();
  await until("the stream not to be counted", async () => (await values()).every((value) => value === 0));
  const text = await metrics("text");
  expect(text).toMatch(/^gen_ai_client_operation_time_per_output_chunk_seconds_count\{[^}]*\} [1-9]/m);
  expect(text).toMatch(/^gen_ai_client_operation_duration_seconds_sum\{[^}]*\} 0*\.?0*[1-9]/m);
  // Each scrape measures the time since the one before.
  await until("a delay of the event loop", async () =>
    /^nodejs_eventloop_lag_p99_seconds\{service="text"\} 0\.\d*[1-9]/m.test(await metrics("text")),
  );
});

test("no secret and no client content reaches logs, traces, metrics, events or errors", async () => {
  const body = { ...hello("chat", canary.prompt), stream: true };
  const failures = [
    { cutAfterChunks: 1 },
    { status: 500, errorMessage: `Bearer ${canary.vendor} failed` },
    { status: 401, errorMessage: `Incorrect key: ${canary.vendor}` },
  ];
  await suite.simulator.script("shaky", failures);
  const failed: string[] = [];
  for (const _ of failures) {
    const answer = await post(suite, { ...body, model: "shaky" }, canary.client);
    failed.push(await answer.text().catch(() => "cut"));
  }
  const answers = [
    await post(suite, body, canary.client),
    await post(suite, hello("refused", canary.prompt), canary.client),
    await post(suite, `{"model": "chat", "messages": "${canary.prompt}", `, canary.client),
    await post(suite, hello("chat"), `${canary.client}-unknown`),
    await fetch(`${suite.edgeUrl}/v1beta/models/chat:generateContent?key=${canary.client}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: canary.prompt }] }] }),
    }),
    await fetch(`${suite.edgeUrl}/v1/nowhere?key=${canary.client}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 502, 400, 401, 200, 404]);
  const refusals = await Promise.all(answers.filter(({ ok }) => !ok).map((answer) => answer.text()));
  const errors = [...failed, ...refusals].join("\n");
  await Promise.all(answers.filter(({ ok }) => ok).map((answer) => answer.text()));
  const events = await until("events of the canary", async () => {
    const all = await storedEvents(suite.backends.natsUrl);
    return all.filter(({ event }) => event.accountId === "canary").length >= 3 && all;
  });
  await until("spans of the refused call", () => collector.exported.join("").includes("upstream"));
  const places = {
    errors,
    events: JSON.stringify(events),
    traces: collector.exported.join("\n"),
    metrics: (await Promise.all(["edge", "text", "ledger", "control"].map((name) => metrics(name)))).join("\n"),
    logs: ["edge", "text", "ledger", "control"].map((name) => suite.process(serviceNamed(name)).logs()).join("\n"),
  };
  for (const [where, text] of Object.entries(places)) {
    expect(text.length, where).toBeGreaterThan(100);
    for (const [what, word] of Object.entries({ ...canary, secret: suite.secret }))
      expect(text.includes(word), `${what} in ${where}`).toBe(false);
  }
});

test("a key that its vendor refuses for one account is counted as refused, with its attempts", async () => {
  await post(suite, hello("refused"));
  const text = await metrics("text");
  expect(text).toMatch(/^modelgate_channel_account_cooldowns\{state="refused"[^}]*\} [1-9]/m);
  expect(text).toMatch(/^modelgate_channel_attempts_total\{channel="broken",result="[a-z_]+"[^}]*\} [1-9]/m);
});

type ServiceName = Parameters<Suite["opsUrl"]>[0];

function serviceNamed(name: string): ServiceName {
  const names: readonly ServiceName[] = ["edge", "text", "ledger", "control"];
  const found = names.find((known) => known === name);
  if (found === undefined) throw new Error(`there is no service ${name}`);
  return found;
}

async function metrics(name: string): Promise<string> {
  return (await fetch(`${suite.opsUrl(serviceNamed(name))}/metrics`)).text();
}
