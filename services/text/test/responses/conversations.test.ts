import { APIError } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { keyOf, openaiAt, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { ownAndOther } from "../vendors.ts";

let area: Area;
beforeAll(async () => {
  area = await startText({
    accounts: ["other"],
    limits: { text: { responses: { conversations: { maxItems: 12 } } } },
  });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const of = (account = "demo") => openaiAt(area.url, keyOf(account));
const conversations = (account = "demo") => of(account).conversations;

async function failureOf(call: PromiseLike<unknown>): Promise<APIError> {
  const thrown = await call.then(
    () => new Error("it was answered"),
    (error: unknown) => error,
  );
  if (!(thrown instanceof APIError)) throw thrown;
  return thrown;
}

async function itemsOf(id: string, account = "demo") {
  const items = [];
  for await (const item of conversations(account).items.list(id, { order: "asc", limit: 2 })) items.push(item);
  return items;
}

const user = (content: string) => ({ type: "message" as const, role: "user" as const, content });
const holds = (id: string, count: number) =>
  until(`${count} items`, async () => {
    const items = await itemsOf(id);
    return items.length === count && items;
  });

/** Waits until a response is stored. A streamed response is stored while its client still reads. */
const untilStored = (id: string) =>
  until(`${id} to be kept`, () =>
    of()
      .responses.retrieve(id)
      .catch(() => false as const),
  );

describe.each(ownAndOther("responses"))("a conversation over $name", ({ name: model }) => {
  const lastBody = async (): Promise<string> => (await area.simulator.requests(model)).at(-1)?.body ?? "";

  test.each([false, true])(
    "a turn is available to the next one as soon as it is answered (stream: %s)",
    async (stream) => {
      const { id } = await conversations().create({});
      const places = ["My name is Ada.", "I live in Oslo.", "Who am I?"];
      for (const input of places)
        if (stream) await of().responses.stream({ model, input, conversation: id }).finalResponse();
        else await of().responses.create({ model, input, conversation: id });
      const body = await lastBody();
      expect(places.map((words) => body.includes(words))).toEqual([true, true, true]);
    },
  );

  test("each response includes the turns before it: complete, streamed and in the background", async () => {
    const { id } = await conversations().create({ items: [user("My name is Ada.")] });
    const first = await of().responses.create({ model, input: "I live in Oslo.", conversation: id });
    expect(first.conversation).toEqual({ id });
    await holds(id, 3);
    const second = of().responses.stream({ model, input: "Where is that?", conversation: { id } });
    const begun: unknown[] = [];
    second.on("response.created", ({ response }) => begun.push(response.conversation));
    const streamed = await second.finalResponse();
    expect(streamed.conversation).toEqual({ id });
    // The stored response has the gateway's name of the model, which the vendor names differently.
    expect(await untilStored(streamed.id)).toMatchObject({ conversation: { id }, model, status: "completed" });
    expect(begun).toEqual([{ id }]);
    const places = ["My name is Ada.", "I live in Oslo.", "Where is that?"];
    const body = await lastBody();
    expect(places.map((words) => body.indexOf(words)).every((at) => at >= 0)).toBe(true);
    expect(body).not.toContain(id);
    await holds(id, 5);
    const third = await of().responses.create({ model, input: "Who am I?", conversation: id, background: true });
    expect(third).toMatchObject({ status: "queued", conversation: { id } });
    const items = await holds(id, 7);
    expect(await lastBody()).toContain("My name is Ada.");
    expect(items.map((item) => ("role" in item ? item.role : item.type))).toEqual([
      "user",
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
    expect(items.at(-1)).toMatchObject({ content: [{ type: "output_text" }] });
  });
});

test("a turn that refers to an item of another response stores the item itself", async () => {
  const { output, id: response } = await of().responses.create({ model: "messages", input: "My name is Ada." });
  await untilStored(response);
  const { id } = await conversations().create({});
  const input = [{ type: "item_reference" as const, id: output[0]?.id ?? "" }, user("Who am I?")];
  await of().responses.create({ model: "messages", input, conversation: id });
  await of().responses.delete(response);
  expect(await itemsOf(id)).toMatchObject([{ role: "assistant" }, { role: "user" }, { role: "assistant" }]);
  await of().responses.create({ model: "messages", input: "Go on", conversation: id });
});

test("a turn that refers to an item of its conversation does not store it again", async () => {
  const { id } = await conversations().create({});
  const { output, id: response } = await of().responses.create({
    model: "messages",
    input: "I am Ada.",
    conversation: id,
  });
  await untilStored(response);
  const input = [{ type: "item_reference" as const, id: output[0]?.id ?? "" }, user("Who am I?")];
  await of().responses.create({ model: "messages", input, conversation: id });
  const roles = (await itemsOf(id)).map((item) => "role" in item && item.role);
  expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
});

test("is created, read, changed and deleted", async () => {
  const created = await conversations().create({ metadata: { topic: "boats" } });
  expect(created).toMatchObject({
    object: "conversation",
    metadata: { topic: "boats" },
    created_at: expect.any(Number),
  });
  expect(await conversations().retrieve(created.id)).toEqual(created);
  expect(await conversations().update(created.id, { metadata: { topic: "trains" } })).toEqual({
    ...created,
    metadata: { topic: "trains" },
  });
  expect(await conversations().delete(created.id)).toEqual({
    id: created.id,
    object: "conversation.deleted",
    deleted: true,
  });
  expect(await failureOf(conversations().retrieve(created.id))).toMatchObject({ status: 404 });
  expect(await failureOf(conversations().delete(created.id))).toMatchObject({ status: 404 });
});

test("has items that are listed, added, read and removed", async () => {
  const { id } = await conversations().create({ items: [user("One")] });
  const added = await conversations().items.create(id, { items: [user("Two"), user("Three")] });
  expect(added).toMatchObject({ object: "list", has_more: false, data: [{ type: "message" }, { type: "message" }] });
  const items = await itemsOf(id);
  expect(items).toMatchObject(["One", "Two", "Three"].map((text) => ({ content: [{ type: "input_text", text }] })));
  const second = items[1]?.id ?? "";
  expect(await conversations().items.retrieve(second, { conversation_id: id })).toEqual(items[1]);
  expect(await conversations().items.delete(second, { conversation_id: id })).toMatchObject({ id });
  expect(await itemsOf(id)).toEqual([items[0], items[2]]);
  const gone = conversations().items.retrieve(second, { conversation_id: id });
  expect(await failureOf(gone)).toMatchObject({ status: 404, param: "item_id" });
  const newest = await conversations().items.list(id, { limit: 1 });
  expect(newest.data).toEqual([items[2]]);
});

test("an account cannot find another account's conversation", async () => {
  const { id } = await conversations().create({ items: [user("Mine")] });
  const refused = [
    () => conversations("other").retrieve(id),
    () => conversations("other").items.list(id),
    () => conversations("other").items.create(id, { items: [user("Theirs")] }),
    () => conversations("other").delete(id),
  ];
  for (const call of refused) expect(await failureOf(call())).toMatchObject({ status: 404 });
  const answer = of("other").responses.create({ model: "chat", input: "What was said?", conversation: id });
  expect(await failureOf(answer)).toMatchObject({ status: 400 });
  expect(await itemsOf(id)).toHaveLength(1);
});

test("it is limited, and precedes the input of a response", async () => {
  const eleven = Array.from({ length: 11 }, (_, at) => user(`Line ${at}`));
  const { id } = await conversations().create({ items: eleven });
  const more = conversations().items.create(id, { items: [user("A"), user("B")] });
  expect(await failureOf(more)).toMatchObject({ status: 400, param: "items" });
  await conversations().items.create(id, { items: [user("A")] });
  const request = { model: "chat", input: "And?", conversation: id };
  expect(await failureOf(of().responses.create(request))).toMatchObject({ status: 400, param: "conversation" });
  const both = of().responses.create({ ...request, previous_response_id: "resp_1" });
  expect(await failureOf(both)).toMatchObject({ status: 400, param: "conversation" });
});
