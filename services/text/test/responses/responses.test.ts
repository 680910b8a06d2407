import { zstdCompressSync } from "node:zlib";
import { APIError } from "openai";
import type { ResponseInput, ResponseInputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@modelgate/testkit";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { keyOf, openaiAt, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { ownAndOther } from "../vendors.ts";

let area: Area;
beforeAll(async () => {
  area = await startText({ accounts: ["other"] });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const mine = () => openaiAt(area.url, keyOf("demo")).responses;
const others = () => openaiAt(area.url, keyOf("other")).responses;

async function failureOf(call: PromiseLike<unknown>): Promise<APIError> {
  const thrown = await call.then(
    () => new Error("it was answered"),
    (error: unknown) => error,
  );
  if (!(thrown instanceof APIError)) throw thrown;
  return thrown;
}

const weather = {
  type: "function" as const,
  name: "weather",
  description: "The weather.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  strict: false,
};

describe.each(ownAndOther("responses"))("responses over $name", ({ name: model, wire }) => {
  const lastBody = async (): Promise<string> => (await area.simulator.requests(model)).at(-1)?.body ?? "";
  /** Creates a response and waits until it is stored, because the answer arrives before that. */
  async function createStored(input: string | ResponseInput, more: object = {}) {
    const response = await mine().create({ model, input, ...more, stream: false });
    await until("the response to be kept", () =>
      mine()
        .retrieve(response.id)
        .then(
          () => true,
          () => false,
        ),
    );
    return response;
  }

  test("two follow-ups include the conversation before them, one of them streamed", async () => {
    const first = await createStored("My name is Ada.", { instructions: "Be brief." });
    const second = await createStored("And who are you?", { previous_response_id: first.id });
    expect(second).toMatchObject({ previous_response_id: first.id, output_text: "You said: And who are you?" });
    if (wire !== "responses") {
      expect(await lastBody()).toContain("You said: My name is Ada.");
      // Instructions apply only to the request that contains them.
      expect(await lastBody()).not.toContain("Be brief.");
    }
    const stream = mine().stream({ model, input: "Who am I?", previous_response_id: second.id });
    const third = await stream.finalResponse();
    expect(third).toMatchObject({ status: "completed", previous_response_id: second.id });
    expect(third.output_text).toBe("You said: Who am I?");
    if (wire !== "responses") {
      const body = await lastBody();
      const places = ["My name is Ada.", "And who are you?", "Who am I?"].map((words) => body.indexOf(words));
      expect(places.every((at) => at >= 0)).toBe(true);
      expect(places).toEqual(places.toSorted((left, right) => left - right));
    }
  });

  test("input tokens are counted, also of a conversation that is only referred to", async () => {
    const first = await createStored("My name is Ada.");
    const clientRequest = { model, input: "Who am I?" };
    const alone = await mine().inputTokens.count(clientRequest);
    const whole = await mine().inputTokens.count({ ...clientRequest, previous_response_id: first.id });
    expect(alone.object).toBe("response.input_tokens");
    expect(whole.input_tokens).toBeGreaterThan(alone.input_tokens);
  });

  test("an answer repeats the request as Open Responses requires", async () => {
    const answer = await mine().create({ model, input: "Hello", service_tier: "auto", tools: [weather] });
    const repeated = { presence_penalty: 0, frequency_penalty: 0, service_tier: "default" };
    const tools = [{ ...weather, strict: false }];
    // The answer of a vendor of the same wire is passed through unchanged.
    expect(answer).toMatchObject(wire === "responses" ? { object: "response" } : { ...repeated, tools });
  });

  test("a history may start with the assistant", async () => {
    const answer = mine().create({
      model,
      input: [
        { role: "assistant", content: "Good day." },
        { role: "user", content: "Hello" },
      ],
    });
    expect((await answer).output_text).toBe("You said: Hello");
  });

  test("a tool's result refers to the call, and follows the reasoning that led to it", async () => {
    const moreMembers = { tools: [weather], reasoning: { effort: "medium", summary: "auto" } };
    const first = await createStored('call weather {"city":"Oslo"}', moreMembers);
    const call = first.output.find((item) => item.type === "function_call");
    const second = await mine().create({
      model,
      previous_response_id: first.id,
      tools: [weather],
      reasoning: { effort: "medium" },
      input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "rain" }],
    });
    expect(second.output_text).toBe("rain");
  });

  test("an answer can be referred to by the ids of its items, as some clients do with stored items", async () => {
    const moreMembers = { tools: [weather], reasoning: { effort: "medium", summary: "auto" } };
    const { output } = await createStored('call weather {"city":"Oslo"}', moreMembers);
    const call = output.find((item) => item.type === "function_call");
    const second = await mine().create({
      model,
      ...moreMembers,
      reasoning: { effort: "medium" },
      input: [
        { role: "user", content: 'call weather {"city":"Oslo"}' },
        ...output.map(({ id }) => ({ type: "item_reference" as const, id: id ?? "" })),
        { type: "function_call_output", call_id: call?.call_id ?? "", output: "rain" },
      ],
    });
    expect(second.output_text).toBe("rain");
  });

  test("a response that is not stored cannot be referred to", async () => {
    const { id } = await mine().create({ model, input: "Hello", store: false });
    const failure = await failureOf(mine().create({ model, input: "And?", previous_response_id: id }));
    expect(failure).toMatchObject({ status: 400, code: "previous_response_not_found", param: "previous_response_id" });
    expect(await failureOf(mine().retrieve(id))).toMatchObject({ status: 404 });
  });

  test("a stored response is available to its account until it is deleted", async () => {
    const response = await createStored([
      // Objects of the Python SDK that are sent back can have a null id.
      { role: "user", content: "One", id: null },
      { role: "user", content: [{ type: "input_text", text: "Two" }] },
    ]);
    expect(await mine().retrieve(response.id)).toMatchObject({
      id: response.id,
      object: "response",
      status: "completed",
      model,
      output: response.output,
    });
    const items = [];
    for await (const item of mine().inputItems.list(response.id, { order: "asc", limit: 1 })) items.push(item);
    expect(items).toMatchObject([{ role: "user" }, { role: "user", content: [{ type: "input_text", text: "Two" }] }]);
    expect(await failureOf(others().retrieve(response.id))).toMatchObject({ status: 404 });
    expect(await failureOf(others().delete(response.id))).toMatchObject({ status: 404 });
    const refers = others().create({ model, input: "And?", previous_response_id: response.id });
    expect(await failureOf(refers)).toMatchObject({ status: 400, code: "previous_response_not_found" });
    await mine().delete(response.id);
    expect(await failureOf(mine().retrieve(response.id))).toMatchObject({ status: 404 });
    expect(await failureOf(mine().inputItems.list(response.id))).toMatchObject({ status: 404 });
  });

  test.each([false, true])("a free-text tool, streamed: %s", async (stream) => {
    const grep = { type: "custom" as const, name: "grep", description: "Look for words." };
    const clientRequest = { model, input: "Look", tools: [grep], tool_choice: "required" as const };
    const first = stream ? await mine().stream(clientRequest).finalResponse() : await mine().create(clientRequest);
    const ids = first.output.flatMap((item) => (item.type === "custom_tool_call" ? [item.call_id] : []));
    const [call_id = ""] = ids;
    expect(first.output).toContainEqual(expect.objectContaining({ call_id, name: "grep", input: "words" }));
    const items: ResponseInputItem[] = [
      { role: "user", content: "Look" },
      { type: "custom_tool_call", call_id, name: "grep", input: "words" },
      { type: "custom_tool_call_output", call_id, output: "found" },
    ];
    expect((await mine().create({ model, input: items, tools: [grep] })).output_text).toBe("found");
  });

  const historyItems: ResponseInputItem[] = [
    { role: "user", content: "My name is Ada." },
    { role: "assistant", content: "Hello Ada." },
    { role: "user", content: "I live in Oslo." },
  ];
  const isNative = wire === "responses";

  test("a conversation continues after its compaction", async () => {
    const compacted = await mine().compact({ model, input: historyItems });
    expect(compacted).toMatchObject({ object: "response.compaction", usage: { input_tokens: expect.any(Number) } });
    const [compaction, ...rest] = compacted.output.filter(({ type }) => type === "compaction");
    expect(compaction).toMatchObject({ encrypted_content: expect.any(String) });
    expect(rest).toEqual([]);
    const input: ResponseInput = JSON.parse(JSON.stringify([...compacted.output, { role: "user", content: "Go on" }]));
    // Some vendors join consecutive messages of the user.
    expect((await mine().create({ model, input })).output_text).toMatch(/^You said: .*Go on$/);
    expect(await lastBody()).toContain(isNative ? '"compaction"' : "Summary of the conversation so far");
    if (!isNative) {
      expect(await lastBody()).toContain("I live in Oslo.");
      expect(await failureOf(others().create({ model, input }))).toMatchObject({ status: 400, code: "invalid_value" });
    }
  });

  test.each([false, true])("a turn that ends with a compaction trigger is compacted, streamed: %s", async (stream) => {
    const clientRequest = { model, input: [...historyItems, { type: "compaction_trigger" as const }] };
    const answer = stream ? await mine().stream(clientRequest).finalResponse() : await mine().create(clientRequest);
    expect(answer).toMatchObject({ status: "completed", output: [{ type: "compaction" }] });
    const input: ResponseInput = JSON.parse(JSON.stringify([...answer.output, { role: "user", content: "Go on" }]));
    const next = await mine().create({ model, input });
    expect(next.output_text).toBe("You said: Go on");
    if (!isNative) {
      expect(await lastBody()).toContain("Ada");
      expect(await failureOf(others().create({ model, input }))).toMatchObject({ status: 400 });
    }
  });

  test("accepts a body in zstd", async () => {
    const answer = await fetch(`${area.url}/v1/responses`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${keyOf("demo")}`,
        "content-type": "application/json",
        "content-encoding": "zstd",
      },
      body: new Uint8Array(zstdCompressSync(JSON.stringify({ model, input: "Hello" }))),
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ object: "response", status: "completed", model });
  });
});

test("a message without content does not prevent a compaction", async () => {
  const input = [
    { type: "message", role: "user" },
    { role: "user", content: "My name is Ada." },
  ];
  const answer = await area.post("/v1/responses/compact", { model: "messages", input }, keyOf("demo"));
  const { output }: any = await answer.json();
  expect([answer.status, output.map(({ type }: any) => type)]).toEqual([200, ["message", "compaction"]]);
});
