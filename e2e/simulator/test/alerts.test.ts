import { createHmac } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSimulator, type Started } from "./started.ts";

let started: Started;
beforeAll(async () => {
  started = await startSimulator();
});
afterAll(() => started[Symbol.asyncDispose]());

async function post(path: string, message: unknown, headers: Readonly<Record<string, string>> = {}) {
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const answer = await fetch(started.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return [answer.status, await answer.text()];
}

const plain = (text: string) => ({ type: "plain_text", text });
const slackWith = (...blocks: readonly object[]) => ({ text: "an alert", blocks });

test.each<[unknown, number, string]>([
  [slackWith({ type: "header", text: plain("t") }, { type: "section", text: plain("s".repeat(3_000)) }), 200, "ok"],
  [{ text: "an alert" }, 200, "ok"],
  ["{", 400, "invalid_payload"],
  [{ text: "an alert", severity: "error" }, 400, "invalid_payload"],
  [{ blocks: [{ type: "divider" }] }, 400, "no_text"],
  [slackWith({ type: "header", text: plain("t".repeat(151)) }), 400, "invalid_blocks"],
  [slackWith({ type: "header", text: { type: "mrkdwn", text: "t" } }), 400, "invalid_blocks"],
  [slackWith({ type: "section", text: plain("s".repeat(3_001)) }), 400, "invalid_blocks"],
  [slackWith({ type: "section", text: plain("") }), 400, "invalid_blocks"],
  [slackWith({ type: "context", elements: [] }), 400, "invalid_blocks"],
  [slackWith(...Array.from({ length: 51 }, () => ({ type: "divider" }))), 400, "invalid_blocks"],
])("Slack answers message %# of the table in its form", async (message, ...expected) => {
  expect(await post("/slack/services/T0/B0/X", message)).toEqual(expected);
});

test("Slack does not know a deleted webhook", async () => {
  expect(await post("/slack/services/T0/B0/bad-X", { text: "an alert" })).toEqual([404, "no_service"]);
});

const element = { type: "TextBlock", text: "an alert", wrap: true };
const cardWith = (card: object = {}, attachment: object = {}) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: { type: "AdaptiveCard", version: "1.4", body: [element], ...card },
      ...attachment,
    },
  ],
});

test.each<[unknown, number, string]>([
  [cardWith(), 202, ""],
  [cardWith({ $schema: "http://adaptivecards.io/schemas/adaptive-card.json" }), 202, ""],
  [cardWith({ body: [{ type: "RichTextBlock", inlines: [{ type: "TextRun", text: "t" }] }] }), 202, ""],
  [{ text: "an alert" }, 400, "TriggerInputSchemaMismatch"],
  [{ type: "message", attachments: [] }, 400, "TriggerInputSchemaMismatch"],
  [cardWith({}, { contentType: "application/vnd.microsoft.teams.card.o365connector" }), 400, "TriggerInputSchemaMis"],
  [cardWith({ version: "2.0" }), 400, "TriggerInputSchemaMismatch"],
  [cardWith({ body: [{ ...element, size: "Huge" }] }), 400, "TriggerInputSchemaMismatch"],
  [cardWith({ body: [{ ...element, text: "x".repeat(28 * 1024) }] }), 413, "too large"],
])("Teams answers message %# of the table in its form", async (message, status, text) => {
  expect(await post("/teams/workflows/X/triggers/manual/paths/invoke", message)).toEqual([
    status,
    expect.stringContaining(text),
  ]);
});

const feishuPost = {
  msg_type: "post",
  content: { post: { en_us: { title: "t", content: [[{ tag: "text", text: "s" }]] } } },
};
const signedAt = (seconds: number, secret: string) => ({
  ...feishuPost,
  timestamp: `${seconds}`,
  sign: createHmac("sha256", `${seconds}\n${secret}`).digest("base64"),
});
const now = Math.floor(Date.now() / 1_000);

test.each<[string, unknown, number, number]>([
  ["X", feishuPost, 200, 0],
  ["X", { msg_type: "text", content: { text: "an alert" } }, 200, 0],
  ["signed-X", signedAt(now, "signed-X-secret"), 200, 0],
  ["signed-X", feishuPost, 200, 19_021],
  ["signed-X", signedAt(now, "another secret"), 200, 19_021],
  ["signed-X", signedAt(now - 3_700, "signed-X-secret"), 200, 19_021],
  ["X", { text: "an alert" }, 200, 19_002],
  ["X", "{", 400, 9_499],
  ["X", { msg_type: "post", content: { post: { en_us: { content: [{ tag: "text", text: "s" }] } } } }, 400, 9_499],
  ["X", { msg_type: "text", content: { text: "x".repeat(20 * 1024) } }, 413, 9_499],
  ["bad-X", feishuPost, 200, 19_001],
])("Feishu's bot %s answers message %# of the table in its form", async (bot, message, status, code) => {
  const [answered, text] = await post(`/feishu/open-apis/bot/v2/hook/${bot}`, message);
  expect([answered, JSON.parse(String(text)).code]).toEqual([status, code]);
});

const payload = { summary: "an alert", source: "modelgate", severity: "error" };
const trigger = { routing_key: "R".repeat(32), event_action: "trigger", dedup_key: "key", payload };

test.each<[unknown, number, string]>([
  [trigger, 202, '"dedup_key":"key"'],
  [{ ...trigger, event_action: "resolve", payload: undefined }, 202, "Event processed"],
  [{ ...trigger, routing_key: undefined }, 400, "'routing_key' is missing or blank"],
  [{ ...trigger, routing_key: "R0UTING" }, 400, "32 characters"],
  [{ ...trigger, payload: undefined }, 400, "'payload' is missing or blank"],
  [{ ...trigger, event_action: "resolve", dedup_key: undefined }, 400, "'dedup_key' is missing or blank"],
  [{ ...trigger, dedup_key: "k".repeat(256) }, 400, "Event object is invalid"],
  [{ ...trigger, event_action: "close" }, 400, "trigger, acknowledge, resolve"],
  [{ ...trigger, payload: { ...payload, severity: "fatal" } }, 400, "info, warning, error, critical"],
  [{ ...trigger, payload: { ...payload, summary: "s".repeat(1_025) } }, 400, "1 to 1024 characters"],
  [{ ...trigger, payload: { ...payload, source: undefined } }, 400, "'payload.source' is missing or blank"],
  [{ ...trigger, details: {} }, 400, "details"],
])("PagerDuty answers event %# of the table in its form", async (event, status, text) => {
  expect(await post("/pagerduty/v2/enqueue", event)).toEqual([status, expect.stringContaining(text)]);
});

const alert = JSON.stringify({
  id: "alt_1",
  kind: "balance-low",
  severity: "warning",
  account: "acme",
  subject: "acme",
  period: "2026-11-26",
  summary: "The balance is low.",
  time: "2026-11-26T10:30:00.000Z",
  details: { hours: "24" },
});
const signatureOf = (body: string, secret: string, seconds = now) =>
  `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;

test.each([
  ["a signed alert", alert, signatureOf(alert, "signed-X-secret"), 200],
  ["an alert without a signature", alert, "", 401],
  ["another secret", alert, signatureOf(alert, "another secret"), 401],
  ["a signature of another body", alert, signatureOf(`${alert} `, "signed-X-secret"), 401],
  ["an old signature", alert, signatureOf(alert, "signed-X-secret", now - 400), 401],
  ["another body", "{}", signatureOf("{}", "signed-X-secret"), 400],
])("a webhook answers %s with its status", async (_what, body, signature, status) => {
  expect((await post("/webhook/hooks/signed-X", body, { "x-modelgate-signature": signature }))[0]).toBe(status);
});

test("a receiver answers by its script", async () => {
  const script = [{ status: 503, errorMessage: "down" }, {}];
  await fetch(`${started.url}/_script/ops`, { method: "PUT", body: JSON.stringify(script) });
  const path = "/at/ops/slack/services/T0/B0/X";
  expect(await post(path, { text: "an alert" })).toEqual([503, "down"]);
  expect(await post(path, { text: "an alert" })).toEqual([200, "ok"]);
  expect((await post("/pagerduty/v2/enqueue/", trigger))[0]).toBe(404);
  expect((await post(path, "text", { "content-type": "text/plain" }))[0]).toBe(415);
});
