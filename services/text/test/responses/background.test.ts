import { APIError } from "openai";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import { startArea, type Area } from "../../../../libs/relay/test/area.ts";
import { service } from "../../src/service.ts";
import { cancelWaitMs, configOf, keyOf, openaiAt, settled, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { ownAndOther } from "../vendors.ts";

const accounts = ["other", "payer", "crowd"];
let area: Area;
beforeAll(async () => {
  area = await startText({
    accounts,
    env: { DRAIN_MS: "2000" },
    limits: { text: { responses: { background: { maxPerToken: 3, cancelWaitMs } } } },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const of = (account: string) => openaiAt(area.url, keyOf(account)).responses;
const mine = () => of("demo");
/** Returns a prompt whose answer is streamed in many slow pieces. */
const slowly = (chunks: number) => `Hi {{simulate: {"chunks": ${chunks}, "chunkDelayMs": 20}}}`;
const isOpen = ({ status }: Pick<Response, "status">) => status === "queued" || status === "in_progress";
const ended = (id: string, account = "demo"): Promise<Response> =>
  until("the response to be over", async () => {
    const response = await of(account).retrieve(id);
    return !isOpen(response) && response;
  });

async function failureOf(call: PromiseLike<unknown>): Promise<APIError> {
  const thrown = await call.then(
    () => new Error("it was answered"),
    (error: unknown) => error,
  );
  if (!(thrown instanceof APIError)) throw thrown;
  return thrown;
}

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each(ownAndOther("responses"))("background over $name", ({ name: model, wire }) => {
  test("a response is queued, completed, and continued", async () => {
    const first = await mine().create({ model, input: "My name is Ada.", background: true });
    expect(first).toMatchObject({ status: "queued", background: true, output: [], model });
    const result = await ended(first.id);
    expect(result).toMatchObject({ id: first.id, status: "completed", background: true });
    expect(result.output_text).toBe("You said: My name is Ada.");
    const next = { model, input: "Who am I?", previous_response_id: first.id, background: true };
    const { id } = await mine().create(next);
    expect(await ended(id)).toMatchObject({ status: "completed", previous_response_id: first.id });
    const body = (await area.simulator.requests(model)).at(-1)?.body ?? "";
    expect(body).toContain("My name is Ada.");
    expect(body).not.toContain('"background":true');
    expect(await failureOf(of("other").retrieve(id))).toMatchObject({ status: 404 });
  });

  test("it can be retrieved in progress, and cancelled", async () => {
    const { id } = await mine().create({ model, input: slowly(2_000), background: true });
    await until("it to be in progress", async () => (await mine().retrieve(id)).status === "in_progress");
    const early = await failureOf(mine().create({ model, input: "And?", previous_response_id: id }));
    expect(early).toMatchObject({ status: 400, param: "previous_response_id" });
    expect(await mine().cancel(id)).toMatchObject({ id, status: "cancelled" });
    expect(await mine().cancel(id)).toMatchObject({ id, status: "cancelled" });
    expect(await mine().retrieve(id)).toMatchObject({ status: "cancelled" });
    expect(await mine().stream({ response_id: id }).finalResponse()).toMatchObject({ id, status: "cancelled" });
    await until(
      "the gateway to disconnect from the vendor",
      async () => (await area.simulator.requests(model)).at(-1)?.aborted === true,
    );
  });

  test("its events are streamed, and the stream can be resumed", async () => {
    const stream = await mine().create({ model, input: slowly(30), background: true, stream: true });
    const received: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      received.push(event);
      if (event.type === "response.output_text.delta") break;
    }
    expect(received.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.queued"]);
    const [begun] = received;
    const id = begun?.type === "response.created" ? begun.response.id : "";
    const last = received.at(-1)?.sequence_number ?? 0;
    const rest = await eventsOf(await mine().retrieve(id, { stream: true, starting_after: last }));
    const all = await eventsOf(await mine().retrieve(id, { stream: true }));
    expect([...received, ...rest]).toEqual(all);
    expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, at) => at));
    const end = all.at(-1);
    if (end?.type !== "response.completed") throw new Error(`it ended with ${end?.type}`);
    expect(end.response).toMatchObject({ id, background: true });
    const deltas = all.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
    expect(deltas.join("")).toBe((await ended(id)).output_text);
    expect(await mine().stream({ response_id: id }).finalResponse()).toMatchObject({ id, status: "completed" });
  });

  test("a late completion window is the vendor's slower tier", async () => {
    const request = { model, input: "Hello", background: true, store: true };
    // The JavaScript SDK has no types for these options yet.
    const create = (options: object, other: object = {}): Promise<Response> =>
      mine().create({ ...request, background_options: options, ...other } as any);
    const late = { completion_window: "8h", continuation_id: "batch" };
    const { id } = await create(late);
    expect(await ended(id)).toMatchObject({ status: "completed" });
    const body = JSON.parse((await area.simulator.requests(model)).at(-1)?.body ?? "");
    expect(body).not.toHaveProperty("background_options");
    if (wire === "responses") expect(body).toMatchObject({ service_tier: "flex" });
    for (const other of [{ background: false }, { stream: true }, { service_tier: "priority" }])
      expect(await failureOf(create(late, other))).toMatchObject({
        status: 400,
        param: "background_options.completion_window",
      });
    await ended((await create({ completion_window: "soonest" })).id);
    const next = JSON.parse((await area.simulator.requests(model)).at(-1)?.body ?? "");
    expect([next.background_options, next.service_tier]).toEqual([undefined, undefined]);
  });

  test("a background response that its vendor refuses fails with a clear message", async () => {
    const input = 'Hi {{simulate: {"status": 400}}}';
    const { id } = await mine().create({ model, input, background: true });
    const failed = await ended(id);
    expect(failed).toMatchObject({ status: "failed", error: { message: expect.any(String) } });
    const events = await eventsOf(await mine().retrieve(id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ type: "response.failed", response: { id } });
  });

  test("it is billed like any other", async () => {
    const before = await settled(area, "payer");
    await of("payer").create({ model, input: "Hello there", store: true });
    const between = await settled(area, "payer");
    const { id } = await of("payer").create({ model, input: "Hello there", background: true });
    await ended(id, "payer");
    expect(between - (await settled(area, "payer"))).toBe(before - between);
    expect(before - between).toBeGreaterThan(0n);
  });
});

const model = "chat";

test("a running response is cancelled when it is deleted", async () => {
  const { id } = await mine().create({ model, input: slowly(2_000), background: true });
  await mine().delete(id);
  expect(await failureOf(mine().retrieve(id))).toMatchObject({ status: 404 });
  await until(
    "the gateway to disconnect from the vendor",
    async () => (await area.simulator.requests(model)).at(-1)?.aborted === true,
  );
});

test("a deleted response is not stored again, even if it ends later", async () => {
  const { id } = await mine().create({ model: "chat", input: slowly(2_000), background: true });
  const [lease = ""] = (await area.redis.keys(`background:*${id}`)).filter((name) => name.endsWith(id));
  // The response is deleted, but its process does not react in time.
  await area.redis.set(lease, "deleted", "KEEPTTL", "XX");
  await until("its end", async () => (await area.redis.exists(lease)) === 0);
  expect(await failureOf(mine().retrieve(id))).toMatchObject({ status: 404 });
  expect((await area.redis.keys(`*${id}*`)).filter((name) => !name.includes("tried"))).toEqual([]);
});

test("a key has a maximum number of running responses, and slots are released", async () => {
  const begin = () => of("crowd").create({ model, input: slowly(2_000), background: true });
  const open = await Promise.all([begin(), begin(), begin()]);
  expect(await failureOf(begin())).toMatchObject({ status: 429, code: "rate_limit_exceeded" });
  for (const { id } of open) expect(await of("crowd").cancel(id)).toMatchObject({ status: "cancelled" });
  const { id } = await begin();
  await of("crowd").cancel(id);
});

test.each<[string, object, object]>([
  ["a response with store: false", { store: false }, { status: 400, param: "store" }],
  ["an unknown model", { model: "none" }, { status: 404, code: "model_not_found" }],
  ["an unknown previous response", { previous_response_id: "resp_none" }, { status: 400 }],
])("%s is refused immediately", async (_, more, expected) => {
  const body = { model, input: "Hello", background: true, ...more };
  expect(await failureOf(mine().create(body))).toMatchObject(expected);
});

test("only background responses can be cancelled or streamed again", async () => {
  const { id } = await mine().create({ model, input: "Hello" });
  await until("it to be kept", async () =>
    mine()
      .retrieve(id)
      .catch(() => false),
  );
  expect(await failureOf(mine().cancel(id))).toMatchObject({ status: 400 });
  expect(await failureOf(mine().retrieve(id, { stream: true }))).toMatchObject({ status: 400, param: "stream" });
});

// Ends the service, so it is the last test.
test("a response of a service that shuts down fails, with its usage, before the service ends", async () => {
  const { id } = await of("other").create({ model, input: slowly(2_000), background: true });
  await until("it to be in progress", async () => (await of("other").retrieve(id)).status === "in_progress");
  await area.drain();
  await using replica = await startArea(service, { config: configOf({ accounts }), sameBackendsAs: area });
  expect(await openaiAt(replica.url, keyOf("other")).responses.retrieve(id)).toMatchObject({
    status: "failed",
    error: { message: expect.stringContaining("restarted") },
  });
  expect(await settled(area, "other")).toBeLessThan(100_000_000_000n);
});
