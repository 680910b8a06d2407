import { describe, expect, test, vi } from "vitest";
import type { Call, Channel, RefusedCall, System } from "../src/api/types.ts";
import { renderedPage, rowsOf, textOf } from "./rendered-page.tsx";

const call: Call = {
  id: "call_1",
  time: "2026-11-27T10:00:00.000Z",
  requestId: "req_1",
  accountId: "demo",
  tokenId: "tok_1",
  group: "default",
  area: "text",
  endpoint: "POST /v1/chat/completions",
  model: "twice",
  upstreamModel: "demo-claude",
  channelId: "steady",
  status: 200,
  outcome: "completed",
  units: { inputTokens: 10, outputTokens: 4, requests: 1 },
  estimated: false,
  multiplier: 1,
  costNanos: "65000",
  latencyMs: 1_500,
  firstByteMs: 250,
  attempts: 2,
  heldNanos: "40000000",
  dropped: ["logit_bias"],
  tags: { team: "search" },
  tries: [
    { channel: "shaky", key: "k1", ms: 20, status: 500, failed: "upstream_error", vendorMessage: "It <b>melted</b>" },
    { channel: "steady", key: "k2", ms: 230, status: 200, added: ["headers.x-tenant"] },
  ],
};
const refused: RefusedCall = {
  id: "refused_1",
  time: "2026-11-27T10:00:00.000Z",
  requestId: "req_1",
  accountId: "demo",
  tokenId: "tok_1",
  endpoint: "POST /v1/chat/completions",
  model: "absent",
  status: 404,
  code: "model_not_found",
  param: "model",
  meaning: "The model does not exist.",
  calls: 3,
};
const channel: Channel = {
  id: "main",
  provider: "openai",
  baseUrl: "https://vendor.example/v1",
  proxy: null,
  headers: [],
  defaults: [],
  force: [],
  models: ["twice"],
  groups: "all",
  priority: 0,
  weight: 1,
  maxConcurrency: null,
  keyConcurrency: null,
  requestsPerMinute: null,
  state: "ok",
  seats: null,
  usableKeys: "1/1",
  keys: [],
  cappedCalls: 0,
  affectedModels: [],
  accountCooldowns: [],
  accountsInCooldown: 0,
};
const up = { ok: true, message: null };
const system: System = {
  version: "1.0.0",
  processes: [],
  ledger: up,
  redis: { ...up, nodes: [] },
  nats: up,
  books: { ...up, engine: "sqlite" },
  streams: [],
  openHolds: 0,
  outboxEvents: 0,
};

const line = { amount: "10", factor: "1", multiplier: "1" };
const bill = {
  lines: [
    { ...line, unit: "inputTokens", dollarsEach: "0.0000025", dollars: "0.000025" },
    { ...line, unit: "outputTokens", amount: "4", dollarsEach: "0.00001", dollars: "0.00004" },
  ],
  otherNanos: "0",
};

describe("a call's page", () => {
  const answers = {
    "GET /usage/events": { events: [call], next: null },
    "GET /usage/refused": { refused: [], next: null },
    "POST /bill": bill,
  };

  test("shows the hold, each attempt, the first byte, the settlement, and what was dropped", async () => {
    const html = await renderedPage("calls/req_1", answers);
    expect(rowsOf(html, "Timeline")).toEqual([
      "held|$0.04|0 ms",
      "attempt 1|shaky / k1|upstream_error 500|It &lt;b&gt;melted&lt;/b&gt;|20 ms",
      "attempt 2|steady / k2|answered 200|The channel added headers.x-tenant|230 ms",
      "first byte|250 ms",
      "settled|$0.000065|1.50 s",
    ]);
    expect(textOf(html)).toContain("Dropped because the vendor does not support it:|logit_bias");
    expect(html).toContain('href="/console/calls?span=7d&amp;tag=team%3Dsearch"');
  });

  test("shows the cost of each unit, and their sum", async () => {
    const html = await renderedPage("calls/req_1", answers);
    expect(rowsOf(html, "Cost")).toEqual([
      "Unit|Amount × price per unit|Cost",
      "input tokens|10 × $0.0000025|$0.000025",
      "output tokens|4 × $0.00001|$0.00004",
      "rounded to the nano-dollar|$0.000065",
    ]);
  });

  test("shows the reason and the field of a refusal", async () => {
    const none = { events: [], next: null };
    const page = { refused: [refused], next: null };
    const html = await renderedPage("calls/req_1", { "GET /usage/events": none, "GET /usage/refused": page });
    expect(textOf(html)).toContain("|Reason|model_not_found|");
    expect(textOf(html)).toContain("|Field|model|");
    expect(textOf(html)).toContain("2 more refused calls of this account followed");
    const calls = await renderedPage("calls?span=7d", { "GET /usage/events": none, "GET /usage/refused": page });
    expect(calls).toContain('href="/console/calls/req_1"');
    expect(rowsOf(calls, "Refused calls").at(-1)).toMatch(/\|404\|model_not_found\|model\|demo\|absent\|/);
  });
});

describe("the overview lists as problems", () => {
  test("unavailable channels, except those whose variables are not set", async () => {
    const channels: readonly Channel[] = [
      channel,
      { ...channel, id: "switched", state: "disabled" },
      { ...channel, id: "unset", state: "off", reason: "UNSET_HOST is not set; UNSET_API_KEY is not set" },
      { ...channel, id: "broken", state: "off", reason: "no address" },
    ];
    const text = textOf(await renderedPage("overview?span=7d", { "GET /channels": channels }));
    expect(text).toContain("|2 of 4 channels are unavailable|switched|disabled|broken|off: no address|");
    expect(text).not.toContain("unset");
  });

  test("unavailable stores, late events and stopped services, with a link to the system page", async () => {
    const gone = { id: "p", version: "1.0.0", host: "h", pid: 1, startedAt: call.time, seenAt: call.time };
    const failing: System = {
      ...system,
      ledger: { ok: false, message: "connection refused" },
      streams: [{ stream: "USAGE", isThere: true, waiting: 7, oldestMs: 90_000 }],
      processes: [{ ...gone, services: ["audio", "video"], isGone: true, problems: {} }],
    };
    const html = await renderedPage("overview?span=7d", { "GET /system": failing });
    expect(textOf(html)).toContain(
      "|Some components are unavailable or delayed|Ledger: connection refused|USAGE: 7 events are not in the books, the oldest for 90.00 s|audio, video stopped unexpectedly|",
    );
    expect(html).toContain('href="/console/system"');
    const page = textOf(await renderedPage("system", { "GET /system": failing }));
    expect(page).toContain("|Ledger|unavailable|connection refused|");
    expect(page).toContain("|NATS|up|");
  });

  test("nothing if everything works", async () => {
    const text = textOf(await renderedPage("overview?span=7d", { "GET /system": system, "GET /channels": [channel] }));
    expect(text).not.toContain("unavailable");
  });
});

test.each([
  ["no_role", "None of your groups has a role here."],
  ["Call 555 0100", "The provider did not sign you in."],
])("the sign-in page shows no text of a link: ?problem=%s", async (problem, shown) => {
  vi.stubGlobal("location", { search: `?problem=${encodeURIComponent(problem)}` });
  const html = await renderedPage("sign-in", { "GET /sign-in-ways": { provider: true } });
  expect(textOf(html)).toContain(shown);
  expect(html).not.toContain(problem);
});
