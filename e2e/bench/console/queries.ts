import { signOperator } from "@modelgate/contracts/operator-credential";
import type { Suite } from "@modelgate/testkit";
import { report } from "../options.ts";

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Times every query that the console's pages make over usage, through control's HTTP API as the pages ask it. */
export async function measureQueries(suite: Suite): Promise<void> {
  const now = Date.now();
  const today = { from: day(now), to: day(now) };
  const month = { from: day(now - 29 * dayMs), to: day(now) };
  const ask = (path: string, query: Query) => asked(suite, path, query);
  const events = (query: Query) => ask("/usage/events", { ...month, limit: "100", ...query });

  const sums = "calls,costNanos";
  for (const [name, by] of [
    ["figures", "outcome"],
    ["spend by day and model", "day,model"],
    ["top models", "model"],
    ["top accounts", "account"],
    ["top channels", "channel"],
    ["by tag", "tag:team"],
  ] as const)
    await time(`overview, 30 days: ${name}`, () => ask("/usage", { ...month, by, sums }));
  for (const [name, by] of [
    ["figures", "outcome"],
    ["spend by hour and model", "hour,model"],
    ["top accounts", "account"],
  ] as const)
    await time(`overview, today: ${name}`, () => ask("/usage", { ...today, by, sums }));
  await time("overview, 30 days: first byte", () => ask("/usage/first-bytes", month));
  await time("overview, today: first byte", () => ask("/usage/first-bytes", today));
  await time("overview: units without a price, looked for", () => ask("/usage/events", { limit: "200" }));

  const hour = Math.ceil(now / hourMs) * hourMs;
  const hours = { from: new Date(hour - dayMs).toISOString(), to: new Date(hour - 1).toISOString() };
  await time("channels: calls and failures by hour", () =>
    ask("/usage", { ...hours, by: "channel,outcome,hour", sums: "calls" }),
  );
  await time("channels: first byte by hour", () => ask("/usage/first-bytes", { ...hours, by: "channel,hour" }));
  await time("models, 7 days: failures", () =>
    ask("/usage", { from: day(now - 6 * dayMs), to: today.to, by: "model,outcome", sums: "calls" }),
  );
  await time("models, 7 days: first byte", () =>
    ask("/usage/first-bytes", { from: day(now - 6 * dayMs), to: today.to, by: "model" }),
  );
  await time("video tasks: first page", () => ask("/tasks", { limit: "100" }));

  const first = await firstPage(await events({}));
  const middle = Buffer.from(JSON.stringify([now - 15 * dayMs, "account-7", ""])).toString("base64url");
  await time("calls: first page", () => events({}));
  await time("calls: second page", () => events({ after: first.next }));
  await time("calls: a page from the middle", () => events({ after: middle }));
  await time("calls: live, today", () => ask("/usage/events", { ...today, limit: "100" }));
  const some = first.events[0];
  const filters: Readonly<Record<string, Query>> = {
    "an account": { account: some?.accountId },
    "a key": { token: some?.tokenId },
    "a model": { model: some?.model },
    "a model seldom used": { model: "seldom" },
    "a channel": { channel: some?.channelId },
    "an account and a model": { account: some?.accountId, model: some?.model },
    "an account, failed": { account: some?.accountId, outcome: "failed" },
    "a channel, failed": { channel: some?.channelId, outcome: "failed" },
    "a model and a tag": { model: some?.model, tag: "team=team-7" },
    "failed calls": { outcome: "failed" },
    "completed calls": { outcome: "completed" },
    "one status of 500": { status: "429" },
    "status 200": { status: "200" },
    "a tag": { tag: "team=team-7" },
    "an end user": { "end-user": "user-7" },
    "a tag and an account": { account: some?.accountId, tag: "team=team-7" },
    "a model that there is not": { model: "absent" },
    "an account and a channel that it never used": { account: "account-0", channel: "absent" },
    "a channel and a model seldom used together": { channel: "channel-0", model: "seldom" },
  };
  for (const [name, filter] of Object.entries(filters)) await time(`calls: ${name}`, () => events(filter));
  await time("a call's page", () =>
    ask("/usage/events", { from: day(now - 89 * dayMs), to: today.to, "request-id": some?.requestId, limit: "100" }),
  );
  const startedAt = performance.now();
  const csv = await ask("/usage/export", { ...today, format: "csv" });
  const lines = (await csv.text()).split("\n").length;
  report(`  calls: today as CSV, ${lines} lines`, `${Math.round(performance.now() - startedAt)} ms`);
}

type Query = Readonly<Record<string, string | undefined>>;

async function asked(suite: Suite, path: string, query: Query): Promise<Response> {
  const url = new URL(path, suite.controlUrl);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const credential = signOperator(suite.secret, Math.floor(Date.now() / 1_000) + 60);
  const answer = await fetch(url, { headers: { authorization: `Bearer ${credential}` } });
  if (!answer.ok) throw new Error(`${url.pathname}${url.search}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** A page of the log, as far as it is used here. */
interface Page {
  readonly events: readonly {
    readonly accountId: string;
    readonly tokenId: string;
    readonly model: string;
    readonly channelId: string;
    readonly requestId: string;
  }[];
  readonly next: string;
}

async function firstPage(answer: Response): Promise<Page> {
  const { data }: { readonly data: Page } = JSON.parse(await answer.text());
  return data;
}

/** The median and the slowest of five, after one that warms. */
async function time(name: string, ask: () => Promise<Response>): Promise<void> {
  const taken: number[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const startedAt = performance.now();
    await (await ask()).text();
    taken.push(performance.now() - startedAt);
  }
  const sorted = taken.slice(1).toSorted((left, right) => left - right);
  const ms = (value = 0): string => `${value.toFixed(0)} ms`;
  report(`  ${name}`, `${ms(sorted[2])}, slowest ${ms(sorted.at(-1))}, first ${ms(taken[0])}`);
}
