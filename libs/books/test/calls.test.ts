import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { UsageEvent } from "@modelgate/contracts";
import {
  deleteOldCalls,
  readCalls,
  readLatestReceipt,
  readReceipts,
  readTotals,
  recordCalls,
  recordCredits,
  type Books,
  type CallFilter,
  type CallPosition,
} from "../src/index.ts";
import { labelsOf, labelsText } from "../src/labels.ts";
import { callOf, engines, newBooks, type TestEngine } from "./engines.ts";

const month = { from: Date.parse("2026-01-01"), to: Date.parse("2026-02-01") };
const orders = ["oldest first", "newest first"] as const;

describe.each(engines)("$name", ({ start }) => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await start();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  /** Reads the ids of all calls of a filter, page by page. */
  async function read(books: Books, filter: Partial<CallFilter>, limit: number, order: (typeof orders)[number]) {
    const ids: string[] = [];
    for (let after: CallPosition | undefined; ;) {
      const page = await readCalls(books, { ...month, ...filter }, { order, limit, after });
      expect(page.events.length).toBeLessThanOrEqual(limit);
      ids.push(...page.events.map(({ id }) => id));
      if (page.next === undefined) return ids;
      after = page.next;
    }
  }

  /** Returns the sums of a month's calls. */
  const total = async (books: Books) => (await readTotals(books, { ...month, groupBy: [] }))[0]?.sums;

  test("a call is recorded once, however often and in whatever batch it is delivered", async () => {
    await using books = await newBooks(engine);
    const [one, two, three] = ["one", "two", "three"].map((id) => callOf(id, { units: { inputTokens: 5 } }));
    if (one === undefined || two === undefined || three === undefined) return;
    expect(await recordCalls(books, [one, two, one])).toEqual([one, two]);
    expect(await recordCalls(books, [two, three, one])).toEqual([three]);
    expect(await recordCalls(books, [])).toEqual([]);
    expect(await total(books)).toEqual({ calls: "3", costNanos: "3", inputTokens: "15" });
    expect(await read(books, {}, 10, "oldest first")).toHaveLength(3);
  });

  test("a call is found by the gateway's id of it and by the vendor's, also beyond a page", async () => {
    await using books = await newBooks(engine);
    const callNamed = (id: string, requestId: string, upstreamRequestId?: string) =>
      callOf(id, { requestId, ...(upstreamRequestId === undefined ? {} : { upstreamRequestId }) });
    await recordCalls(books, [
      callNamed("one", "ours-1", "theirs-1"),
      callNamed("two", "ours-2", "theirs-2"),
      // A client may choose a request id that a vendor has given to another call.
      callNamed("three", "theirs-1"),
      callNamed("four", "ours-4", "theirs-1"),
      callNamed("five", "ours-5"),
    ]);
    expect(await read(books, { requestId: "ours-2" }, 10, "oldest first")).toEqual(["two"]);
    expect(await read(books, { requestId: "theirs-2" }, 10, "oldest first")).toEqual(["two"]);
    expect((await read(books, { requestId: "theirs-1" }, 2, "newest first")).toSorted()).toEqual([
      "four",
      "one",
      "three",
    ]);
    expect(await read(books, { requestId: "theirs-3" }, 10, "oldest first")).toEqual([]);
    // Request ids do not divide the totals.
    expect((await readTotals(books, { ...month, groupBy: [] }))[0]?.sums).toMatchObject({ calls: "5" });
  });

  test("calls that are recorded concurrently, in different orders, are recorded once", async () => {
    await using one = await newBooks(engine);
    const ledgers = [one, { ...one }, one];
    const events = Array.from({ length: 600 }, (_, at) =>
      callOf(`call-${at}`, {
        accountId: `account-${at % 7}`,
        time: new Date(month.from + (at % 5) * 86_400_000 + at).toISOString(),
        model: `model-${at % 3}`,
      }),
    );
    await Promise.all(
      ledgers.map(async (books, turn) => {
        const mixed =
          turn === 0
            ? events
            : turn === 1
              ? events.toReversed()
              : events.toSorted((left, right) => (left.model < right.model ? -1 : 1));
        for (let from = 0; from < mixed.length; from += 100) await recordCalls(books, mixed.slice(from, from + 100));
      }),
    );
    expect(await total(one)).toEqual({ calls: "600", costNanos: "600" });
    expect(new Set(await read(one, {}, 1_000, "oldest first")).size).toBe(600);
  });

  test("a batch with a call that cannot be recorded is not recorded at all", async () => {
    await using books = await newBooks(engine);
    const broken = { ...callOf("broken"), costNanos: "not money" };
    await expect(recordCalls(books, [callOf("fine"), broken])).rejects.toThrow(/not money|BigInt|integer/i);
    expect(await total(books)).toBeUndefined();
    expect(await read(books, {}, 10, "oldest first")).toEqual([]);
  });

  test("an event is read as exactly the text that was recorded", async () => {
    await using books = await newBooks(engine);
    const event = callOf("exact", {
      requestId: "räksmörgås \u{1f990} 'quoted' \"twice\"",
      units: { outputTokens: 1, inputTokens: 2, seconds: 1.5 },
      costNanos: "9007199254740993",
      multiplier: 1.1,
    });
    await recordCalls(books, [event]);
    const { events } = await readCalls(books, month, { order: "oldest first", limit: 1 });
    expect(JSON.stringify(events[0])).toBe(JSON.stringify(event));
    expect(await total(books)).toEqual({
      calls: "1",
      costNanos: "9007199254740993",
      inputTokens: "2",
      outputTokens: "1",
      milliseconds: "1500",
    });
  });

  test("pages have every call that matches a filter, once and in order of time, for any page size", async () => {
    await using books = await newBooks(engine);
    const oneOfThree = (of: string) => fc.integer({ min: 0, max: 2 }).map((at) => `${of}-${at}`);
    const call = fc.record(
      {
        accountId: oneOfThree("account"),
        tokenId: oneOfThree("token"),
        model: oneOfThree("model"),
        channelId: oneOfThree("channel"),
        requestId: oneOfThree("request"),
        outcome: fc.constantFrom("completed" as const, "failed" as const),
        status: fc.constantFrom(200, 500),
        endUser: oneOfThree("user"),
        tags: fc.dictionary(fc.constantFrom("team", "feature"), oneOfThree("value")),
        // Many calls have the same time.
        time: fc.integer({ min: 0, max: 40 }).map((at) => new Date(month.from + at * 3_000_000).toISOString()),
      },
      { requiredKeys: ["accountId", "tokenId", "model", "channelId", "requestId", "outcome", "status", "time"] },
    );
    const calls = fc.sample(call, { seed: 7, numRuns: 400 }).map((draft, at) => callOf(`id-${at}`, draft));
    await recordCalls(books, calls);
    const filter = fc.record(
      {
        from: fc.integer({ min: 0, max: 30 }).map((at) => month.from + at * 3_000_000),
        to: fc.integer({ min: 10, max: 40 }).map((at) => month.from + at * 3_000_000),
        account: oneOfThree("account"),
        token: oneOfThree("token"),
        model: oneOfThree("model"),
        channel: oneOfThree("channel"),
        requestId: oneOfThree("request"),
        outcome: fc.constantFrom("completed", "failed"),
        status: fc.constantFrom(200, 500),
        labels: fc.uniqueArray(
          fc.record({
            name: fc.constantFrom("endUser" as const, "tag:team" as const, "tag:feature" as const),
            value: fc.oneof(oneOfThree("value"), oneOfThree("user")),
          }),
          { selector: ({ name }) => name, maxLength: 2 },
        ),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        filter,
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom(...orders),
        async (query, limit, order) => {
          const oldest = calls
            .filter((event) => matches(event, query))
            .toSorted(inOrder)
            .map(({ id }) => id);
          expect(await read(books, query, limit, order)).toEqual(
            order === "oldest first" ? oldest : oldest.toReversed(),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("totals by any dimension are the sums of the calls, over hours and over days", async () => {
    await using books = await newBooks(engine);
    const calls = Array.from({ length: 300 }, (_, at) =>
      callOf(`call-${at}`, {
        accountId: `account-${at % 2}`,
        tokenId: `token-${at % 3}`,
        model: `model-${at % 5}`,
        channelId: `channel-${at % 2}`,
        outcome: at % 4 === 0 ? "failed" : "completed",
        time: new Date(month.from + at * 1_234_567).toISOString(),
        units: { inputTokens: at },
        costNanos: String(at * 1_000),
      }),
    );
    await recordCalls(books, calls);
    for (const dimension of ["account", "token", "model", "channel", "outcome", "day", "hour"] as const) {
      const rows = await readTotals(books, { ...month, groupBy: [dimension], account: "account-1" });
      const groups = Map.groupBy(
        calls.filter(({ accountId }) => accountId === "account-1"),
        (event) => valueOf(event, dimension),
      );
      expect(rows.map(({ by }) => by[dimension])).toEqual([...groups.keys()].toSorted());
      for (const { by, sums } of rows) {
        const group = groups.get(by[dimension] ?? "") ?? [];
        expect(sums).toEqual({
          calls: String(group.length),
          costNanos: String(group.reduce((sum, { costNanos }) => sum + Number(costNanos), 0)),
          inputTokens: String(group.reduce((sum, { units }) => sum + (units.inputTokens ?? 0), 0)),
        });
      }
    }
    // The time span begins and ends within an hour, on different days.
    const span = { from: month.from + 5_400_000, to: month.from + 3.6 * 86_400_000 };
    const inSpan = calls.filter(({ time }) => Date.parse(time) >= span.from && Date.parse(time) < span.to);
    const byDay = await readTotals(books, { ...span, groupBy: ["day"] });
    const counts = Map.groupBy(inSpan, (event) => valueOf(event, "day"));
    expect(byDay.map(({ by, sums }) => [by.day, Number(sums["calls"])])).toEqual(
      [...counts].map(([day, events]) => [day, events.length]),
    );
    const hour = month.from + 5 * 3_600_000;
    const [part] = await readTotals(books, { from: hour, to: hour + 3_600_000, groupBy: ["model", "day"] });
    expect(part).toEqual({
      by: { model: expect.any(String), day: "2026-01-01" },
      sums: expect.objectContaining({ calls: expect.any(String) }),
    });
  });

  test("totals of selected sums equal those of all sums", async () => {
    const emptyBooks = await newBooks(engine);
    const units = { inputTokens: 10, outputTokens: 20, requests: 1 };
    await recordCalls(emptyBooks, [callOf("plain", { units }), callOf("tagged", { units, tags: { team: "a" } })]);
    const period = { from: Date.parse("2026-01-10"), to: Date.parse("2026-01-10T10:30:00Z") };
    for (const dimension of ["model", "hour", "tag:team"] as const) {
      const all = await readTotals(emptyBooks, { ...period, groupBy: [dimension] });
      const some = await readTotals(emptyBooks, {
        ...period,
        groupBy: [dimension],
        sums: ["calls", "cost", "inputTokens"],
      });
      const [calls, costNanos, inputTokens] = ["2", "2", "20"];
      expect(all.map(({ sums }) => sums)).toContainEqual(expect.objectContaining({ outputTokens: expect.any(String) }));
      expect(some.map(({ by }) => by)).toEqual(all.map(({ by }) => by));
      if (dimension !== "tag:team") expect(some.map(({ sums }) => sums)).toEqual([{ calls, costNanos, inputTokens }]);
    }
    await emptyBooks[Symbol.asyncDispose]();
  });

  test("totals by end user and tags, and of parts of days, are the sums of the calls; calls without a label are a row", async () => {
    await using books = await newBooks(engine);
    const calls = Array.from({ length: 300 }, (_, at) =>
      callOf(`call-${at}`, {
        model: `model-${at % 5}`,
        status: at % 7 === 0 ? 502 : 200,
        outcome: at % 7 === 0 ? "failed" : "completed",
        requestId: `request-${at % 100}`,
        time: new Date(month.from + at * 1_234_567).toISOString(),
        units: { inputTokens: at },
        costNanos: String(at * 1_000),
        ...(at % 3 === 0 ? {} : { endUser: `user-${at % 2}` }),
        ...(at % 4 === 0 ? {} : { tags: { team: `team "${at % 3}"`, ...(at % 5 === 0 ? { feature: "chat" } : {}) } }),
      }),
    );
    await recordCalls(books, calls);
    const groupings = [
      ["endUser"],
      ["tag:team"],
      ["tag:feature", "outcome"],
      ["day", "tag:team"],
      ["tag:team", "tag:feature"],
      ["model", "tag:team", "day"],
      ["labels", "day"],
      ["hour"],
      ["hour", "endUser"],
      ["model", "day"],
    ] as const;
    const [middle, end] = [month.from + 12_345_678, month.from + 290_000_000];
    const filters: readonly Partial<CallFilter>[] = [
      {},
      { labels: [{ name: "endUser", value: "user-1" }] },
      { labels: [{ name: "tag:team", value: 'team "1"' }] },
      { labels: [{ name: "tag:team", value: 'team "1"' }], outcome: "failed" },
      { account: "acme" },
      {
        labels: [
          { name: "tag:team", value: 'team "2"' },
          { name: "tag:feature", value: "chat" },
        ],
        model: "model-0",
      },
      { from: middle, to: end },
      { from: middle, to: middle + 1_000_000 },
      { status: 502 },
      { requestId: "request-5", from: middle },
    ];
    for (const groupBy of groupings)
      for (const filter of filters) {
        const expected = calls.filter((event) => matches(event, { ...month, ...filter }));
        const groups = Map.groupBy(expected, (event) => groupBy.map((name) => valueOf(event, name)).join("|"));
        const rows = await readTotals(books, { ...month, ...filter, groupBy });
        const shown = rows.map(({ by, sums }) => [
          groupBy.map((name) => by[name]).join("|"),
          sums["calls"],
          sums["costNanos"],
        ]);
        expect(shown.toSorted(), JSON.stringify({ groupBy, filter })).toEqual(
          [...groups]
            .map(([key, group]) => [
              key,
              String(group.length),
              String(group.reduce((sum, { costNanos }) => sum + Number(costNanos), 0)),
            ])
            .toSorted(),
        );
      }
  });

  test("receipts are returned with credits, and the latest one of an account is found", async () => {
    await using books = await newBooks(engine);
    const receipt = (number: number) => ({
      number,
      previous: "",
      balanceNanos: "9007199254740993",
      hash: `hash-${number}`,
    });
    const credit = {
      id: "acme.opening",
      time: "2026-01-01T00:00:00Z",
      accountId: "acme",
      operationId: "opening",
      kind: "opening" as const,
      nanos: "100",
      reason: "r",
      receipt: receipt(1),
    };
    await recordCredits(books, [credit, credit]);
    expect(await readLatestReceipt(books, "acme")).toEqual({
      receipts: 1,
      head: "hash-1",
      balanceNanos: "9007199254740993",
    });
    await recordCalls(books, [callOf("b", { receipt: receipt(3) }), callOf("a", { receipt: receipt(2) })]);
    await recordCalls(books, [callOf("late", { receipt: receipt(2) })]);
    await recordCalls(books, [callOf("of another", { accountId: "other", receipt: receipt(9) })]);
    expect(await readLatestReceipt(books, "acme")).toMatchObject({ receipts: 3, head: "hash-3" });
    expect(await readLatestReceipt(books, "absent")).toBeUndefined();
    const numbers = [];
    for await (const entries of readReceipts(books, "acme"))
      numbers.push(...entries.map(({ receipt }) => receipt?.number));
    expect(numbers).toEqual([1, 2, 3, 2]);
  });

  test("totals with more groups than allowed are refused", async () => {
    await using books = await newBooks(engine);
    const calls = ["one", "two", "three"].map((id, at) =>
      callOf(id, { model: id, tags: { team: id }, time: `2026-01-10T1${at}:00:00.000Z` }),
    );
    await recordCalls(books, calls);
    for (const by of ["model", "tag:team", "hour"] as const) {
      const withMaximum = (maxGroups: number) => readTotals(books, { ...month, groupBy: [by], maxGroups });
      expect(await withMaximum(4), by).toHaveLength(3);
      await expect(withMaximum(2), by).rejects.toMatchObject({ code: "invalid_value", param: "by" });
    }
  });

  test("a deleted call that NATS delivers again does not count again, while NATS may have its event", async () => {
    await using books = await newBooks(engine);
    const call = callOf("again", { time: "2026-01-02T10:00:00.000Z" });
    const deleteAt = (day: string) => deleteOldCalls(books, 7, Date.parse(day));
    await recordCalls(books, [call]);
    await deleteAt("2026-02-02");
    expect(await recordCalls(books, [call])).toEqual([]);
    expect(await total(books)).toMatchObject({ calls: "1" });
    await deleteAt("2026-02-04");
    expect(await recordCalls(books, [call])).toEqual([call]);
  });

  test("calls of expired days are deleted, and their totals are kept", async () => {
    await using books = await newBooks(engine);
    const days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"];
    const calls = days.map((day) => callOf(day, { time: `${day}T23:59:59.999Z`, endUser: "ann", tags: { team: "a" } }));
    const labels = [{ name: "tag:team", value: "a" }] as const;
    await recordCalls(books, calls);
    await deleteOldCalls(books, 2, Date.parse("2026-01-04T12:00:00Z"));
    expect(await read(books, {}, 10, "oldest first")).toEqual(["2026-01-02", "2026-01-03", "2026-01-04"]);
    expect(await read(books, { labels }, 10, "newest first")).toEqual(["2026-01-04", "2026-01-03", "2026-01-02"]);
    for (const account of [undefined, "acme"])
      expect(await readTotals(books, { ...month, labels, account, groupBy: [] })).toMatchObject([
        { sums: { calls: "3" } },
      ]);
    expect(await total(books)).toMatchObject({ calls: "4" });
    // A call can also be recorded on a day whose partition another ledger has dropped.
    const other = { ...books };
    await recordCalls(other, [callOf("before", { time: "2026-01-02T10:00:00.000Z" })]);
    await deleteOldCalls(books, 1, Date.parse("2026-01-04T12:00:00Z"));
    await recordCalls(other, [callOf("after", { time: "2026-01-02T10:00:00.000Z" })]);
    expect(await read(books, {}, 10, "oldest first")).toEqual(["after", "2026-01-03", "2026-01-04"]);
    // A late event of a deleted day is recorded.
    await recordCalls(books, [callOf("late", { time: "2026-01-01T10:00:00.000Z" })]);
    expect(await read(books, {}, 10, "oldest first")).toContain("late");
  });
});

function matches(event: UsageEvent, query: Partial<CallFilter>): boolean {
  const at = Date.parse(event.time);
  const same = (criterion: string | number | undefined, value: string | number) =>
    criterion === undefined || criterion === value;
  return (
    at >= (query.from ?? 0) &&
    at < (query.to ?? Infinity) &&
    same(query.account, event.accountId) &&
    same(query.token, event.tokenId) &&
    same(query.model, event.model) &&
    same(query.channel, event.channelId) &&
    same(query.requestId, event.requestId) &&
    same(query.outcome, event.outcome) &&
    same(query.status, event.status) &&
    (query.labels ?? []).every(({ name, value }) => valueOf(event, name) === value)
  );
}

function inOrder(left: UsageEvent, right: UsageEvent): number {
  const key = ({ time, accountId, id }: UsageEvent): string => `${time}\n${accountId}\n${id}`;
  return key(left) < key(right) ? -1 : 1;
}

function valueOf(event: UsageEvent, dimension: string): string {
  const values: Readonly<Record<string, string | undefined>> = {
    endUser: event.endUser,
    "tag:team": event.tags?.["team"],
    labels: labelsText(labelsOf(event)).replace("{}", ""),
    "tag:feature": event.tags?.["feature"],
    account: event.accountId,
    token: event.tokenId,
    model: event.model,
    channel: event.channelId,
    outcome: event.outcome,
    day: event.time.slice(0, 10),
    hour: `${event.time.slice(0, 13)}:00:00.000Z`,
    status: String(event.status),
    requestId: event.requestId,
  };
  return values[dimension] ?? "";
}
