import { signOperator } from "@modelgate/contracts/operator-credential";
import type { Suite } from "@modelgate/testkit";
import { report } from "../options.ts";
import { formatMs, measureTime } from "../timed.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

type Query = Readonly<Record<string, string | undefined>>;

/** Measures the usage queries of the console's pages. */
export async function measureQueries(suite: Suite): Promise<void> {
  const now = Date.now();
  const today = { from: day(now), to: day(now) };
  const week = { from: day(now - 6 * dayMs), to: today.to };
  const month = { from: day(now - 29 * dayMs), to: today.to };
  const hour = Math.ceil(now / hourMs) * hourMs;
  const hours = { from: new Date(hour - dayMs).toISOString(), to: new Date(hour - 1).toISOString() };
  const log = { ...month, limit: "100" };
  const first = pageOf(await ask(suite, "/usage/events", log));
  const some = first.events[0] ?? {};
  const { accountId: account, tokenId: token, model, channelId: channel, requestId } = some;
  const middle = Buffer.from(JSON.stringify([now - 15 * dayMs, "account-7", ""])).toString("base64url");
  const sums = "calls,costNanos";
  const queries: readonly (readonly [name: string, path: string, query: Query])[] = [
    ["overview, 30 days: figures", "/usage", { ...month, by: "outcome", sums }],
    ["overview, 30 days: spend by day and model", "/usage", { ...month, by: "day,model", sums }],
    ["overview, 30 days: top models", "/usage", { ...month, by: "model", sums }],
    ["overview, 30 days: top accounts", "/usage", { ...month, by: "account", sums }],
    ["overview, 30 days: top channels", "/usage", { ...month, by: "channel", sums }],
    ["overview, 30 days: by tag", "/usage", { ...month, by: "tag:team", sums }],
    ["overview, today: figures", "/usage", { ...today, by: "outcome", sums }],
    ["overview, today: spend by hour and model", "/usage", { ...today, by: "hour,model", sums }],
    ["overview, today: top accounts", "/usage", { ...today, by: "account", sums }],
    ["overview, 30 days: first byte", "/usage/first-bytes", month],
    ["overview, today: first byte", "/usage/first-bytes", today],
    ["overview: units without a price, looked for", "/usage/events", { limit: "200" }],
    ["channels: calls and failures by hour", "/usage", { ...hours, by: "channel,outcome,hour", sums: "calls" }],
    ["channels: first byte by hour", "/usage/first-bytes", { ...hours, by: "channel,hour" }],
    ["models, 7 days: failures", "/usage", { ...week, by: "model,outcome", sums: "calls" }],
    ["models, 7 days: first byte", "/usage/first-bytes", { ...week, by: "model" }],
    ["video tasks: first page", "/tasks", { limit: "100" }],
    ["calls: first page", "/usage/events", log],
    ["calls: second page", "/usage/events", { ...log, after: first.next }],
    ["calls: a page from the middle", "/usage/events", { ...log, after: middle }],
    ["calls: live, today", "/usage/events", { ...today, limit: "100" }],
    ["calls: an account", "/usage/events", { ...log, account }],
    ["calls: a key", "/usage/events", { ...log, token }],
    ["calls: a model", "/usage/events", { ...log, model }],
    ["calls: a model seldom used", "/usage/events", { ...log, model: "seldom" }],
    ["calls: a channel", "/usage/events", { ...log, channel }],
    ["calls: an account and a model", "/usage/events", { ...log, account, model }],
    ["calls: an account, failed", "/usage/events", { ...log, account, outcome: "failed" }],
    ["calls: a channel, failed", "/usage/events", { ...log, channel, outcome: "failed" }],
    ["calls: a model and a tag", "/usage/events", { ...log, model, tag: "team=team-7" }],
    ["calls: failed calls", "/usage/events", { ...log, outcome: "failed" }],
    ["calls: completed calls", "/usage/events", { ...log, outcome: "completed" }],
    ["calls: one status of 500", "/usage/events", { ...log, status: "429" }],
    ["calls: status 200", "/usage/events", { ...log, status: "200" }],
    ["calls: a tag", "/usage/events", { ...log, tag: "team=team-7" }],
    ["calls: an end user", "/usage/events", { ...log, "end-user": "user-7" }],
    ["calls: a tag and an account", "/usage/events", { ...log, account, tag: "team=team-7" }],
    ["calls: an unknown model", "/usage/events", { ...log, model: "absent" }],
    ["calls: an account and an unknown channel", "/usage/events", { ...log, account: "account-0", channel: "absent" }],
    ["calls: a channel and a model seldom used", "/usage/events", { ...log, channel: "channel-0", model: "seldom" }],
    ["a call's page", "/usage/events", { ...log, from: day(now - 89 * dayMs), "request-id": requestId }],
  ];
  for (const [name, path, query] of queries) await measureTime(name, () => ask(suite, path, query));
  const startedAt = performance.now();
  const csv = await ask(suite, "/usage/export", { ...today, format: "csv" });
  report(`  calls: today as CSV, ${csv.split("\n").length} lines`, formatMs(performance.now() - startedAt));
}

async function ask(suite: Suite, path: string, query: Query): Promise<string> {
  const url = new URL(path, suite.controlUrl);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const answer = await fetch(url, { headers: { authorization: `Bearer ${credential}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url.pathname}${url.search}: ${answer.status} ${text}`);
  return text;
}

interface Page {
  readonly events: readonly Query[];
  readonly next: string;
}

function pageOf(text: string): Page {
  const { data }: { readonly data: Page } = JSON.parse(text);
  return data;
}
