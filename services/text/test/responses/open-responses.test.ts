import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { keyOf, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { ownAndOther } from "../vendors.ts";

/**
 * The 17 cases of the Open Responses compliance suite (github.com/openresponses/openresponses, spec of 2026-04-24),
 * rewritten here and run with every vendor's wire.
 */
let area: Area;
beforeAll(async () => {
  area = await startText();
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const authorization = `Bearer ${keyOf("demo")}`;
const message = (role: string, content: unknown, more: object = {}) => ({ type: "message", role, content, ...more });
const user = (content: unknown) => message("user", content);
const heart =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

async function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization, "content-type": "application/json" };
  const answer = await fetch(area.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

/**
 * Sends requests over one connection, each after the previous answer. `steps` create them from the last events of
 * earlier answers. Returns the last event of each answer.
 */
async function overSocket(steps: readonly ((before: readonly any[]) => object)[]): Promise<any[]> {
  const socket = new WebSocket(`${area.url.replace("http", "ws")}/v1/responses`, { headers: { authorization } });
  const events: any[] = [];
  const changed = new EventTarget();
  socket.on("message", (data: Buffer) => {
    events.push(JSON.parse(data.toString()));
    changed.dispatchEvent(new Event("change"));
  });
  await once(socket, "open");
  const ends: any[] = [];
  const isLast = ({ type }: any) => /^(error|response\.(completed|failed|incomplete))$/.test(type);
  try {
    for (const step of steps) {
      socket.send(JSON.stringify({ type: "response.create", ...step(ends) }));
      while (!events.some(isLast)) await once(changed, "change");
      const answerEvents = events.splice(0, events.findIndex(isLast) + 1);
      const end = answerEvents.at(-1);
      if (end.type !== "error") inOrder(answerEvents);
      ends.push(end);
    }
  } finally {
    socket.terminate();
  }
  return ends;
}

/** Asserts that events are numbered from 0 and begin with `response.created`. */
function inOrder(events: readonly any[]): void {
  expect(events.map(({ sequence_number: at }) => at)).toEqual(events.map((_, at) => at));
  expect(events[0].type).toBe("response.created");
}

const nullable = (value: unknown): unknown => expect.toSatisfy((actual) => actual === null || typeof actual === value);
/** Members that the suite's schema requires of a response. */
const resource = {
  id: expect.any(String),
  object: "response",
  created_at: expect.any(Number),
  completed_at: nullable("number"),
  status: "completed",
  incomplete_details: null,
  model: expect.any(String),
  previous_response_id: nullable("string"),
  instructions: null,
  error: null,
  tools: expect.any(Array),
  tool_choice: expect.anything(),
  truncation: expect.any(String),
  parallel_tool_calls: expect.any(Boolean),
  text: { format: { type: "text" } },
  top_p: expect.any(Number),
  presence_penalty: expect.any(Number),
  frequency_penalty: expect.any(Number),
  top_logprobs: expect.any(Number),
  temperature: expect.any(Number),
  usage: {
    input_tokens: expect.any(Number),
    output_tokens: expect.any(Number),
    total_tokens: expect.any(Number),
    input_tokens_details: { cached_tokens: expect.any(Number) },
    output_tokens_details: { reasoning_tokens: expect.any(Number) },
  },
  max_output_tokens: nullable("number"),
  max_tool_calls: nullable("number"),
  store: expect.any(Boolean),
  background: expect.any(Boolean),
  service_tier: expect.any(String),
  safety_identifier: nullable("string"),
  prompt_cache_key: nullable("string"),
};

function isWhole(response: any): void {
  expect(response).toMatchObject(resource);
  expect(response.output.length).toBeGreaterThan(0);
}

const weather = {
  type: "function",
  name: "get_weather",
  description: "Get the current weather for a location",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
};

describe.each(ownAndOther("responses"))("Open Responses over $name", ({ name: model }) => {
  const whole: readonly (readonly [string, object])[] = [
    ["basic-response", { input: [user("Say hello in three words.")] }],
    [
      "assistant-phase",
      {
        input: [
          message("assistant", "I should answer with the number.", { phase: "commentary" }),
          message("assistant", "The number is four.", { phase: "final_answer" }),
          user("Repeat the number."),
        ],
      },
    ],
    ["system-prompt", { input: [message("system", "You are a pirate."), user("Say hello.")] }],
    [
      "image-input",
      {
        input: [
          user([
            { type: "input_text", text: "What is it?" },
            { type: "input_image", image_url: heart },
          ]),
        ],
      },
    ],
    ["multi-turn", { input: [user("I am Alice."), message("assistant", "Hello Alice!"), user("What is my name?")] }],
  ];

  test.each(whole)("%s", async (_, clientBody) => {
    const { status, text } = await post("/v1/responses", { model, ...clientBody });
    expect([status, text]).toEqual([200, text]);
    isWhole(JSON.parse(text));
  });

  // The suite validates a fixture by its own schema. This test sends the fixture as a client would.
  test("response-output-phase-schema", async () => {
    expect.hasAssertions();
    const assistantMessage = (phase: string, text: string) => ({
      ...message("assistant", [{ type: "output_text", text, annotations: [] }], { phase, status: "completed" }),
      id: `msg_phase_${phase}`,
    });
    const input = [
      user("Hi"),
      assistantMessage("commentary", "I check."),
      assistantMessage("final_answer", "Four."),
      user("Again."),
    ];
    isWhole(JSON.parse((await post("/v1/responses", { model, input })).text));
  });

  test("tool-calling", async () => {
    const input = [user('call get_weather {"location":"San Francisco"}')];
    const { text } = await post("/v1/responses", { model, input, tools: [weather] });
    const response: any = JSON.parse(text);
    isWhole(response);
    expect(response.output.map(({ type }: any) => type)).toContain("function_call");
    expect(response.tools).toMatchObject([{ type: "function", name: "get_weather", strict: expect.any(Boolean) }]);
  });

  test("streaming-response", async () => {
    expect.hasAssertions();
    const { text } = await post("/v1/responses", { model, stream: true, input: [user("Count from 1 to 5.")] });
    const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = ""]): any => JSON.parse(data));
    inOrder(events);
    expect(events.at(-1).type).toBe("response.completed");
    isWhole(events.at(-1).response);
  });

  test("compact-response, and websocket-compact-new-chain", async () => {
    const input = [user("We launch on Tuesday."), message("assistant", "Understood.")];
    const { text } = await post("/v1/responses/compact", { model, input, prompt_cache_key: "a-test" });
    const compacted: any = JSON.parse(text);
    expect(compacted.object).toBe("response.compaction");
    expect(compacted.output.map(({ type }: any) => type)).toContain("compaction");
    const next = { model, store: false, tools: [], input: [...compacted.output, user("Go on from here.")] };
    const [end] = await overSocket([() => next]);
    isWhole(end.response);
  });

  test("compact-missing-model", async () => {
    expect((await post("/v1/responses/compact", { input: [user("Compact this.")] })).status).toBe(400);
  });

  test("websocket-response", async () => {
    expect.hasAssertions();
    const [end] = await overSocket([() => ({ model, input: [user("Count from 1 to 3.")] })]);
    isWhole(end.response);
  });

  const ask = (input: unknown, more: object = {}) => ({ model, store: false, input, ...more });
  const after = ([first]: readonly any[]) => ({ previous_response_id: first.response.id });
  const notFound = { type: "error", error: { code: "previous_response_not_found" } };

  test("websocket-sequential-responses", async () => {
    expect.hasAssertions();
    for (const { response } of await overSocket([() => ask("first"), () => ask("second")])) isWhole(response);
  });

  test("websocket-continuation", async () => {
    const ends = await overSocket([() => ask("The word is cobalt."), (before) => ask("Which word?", after(before))]);
    for (const { response } of ends) isWhole(response);
    expect((await area.simulator.requests(model)).at(-1)?.body).toContain("cobalt");
  });

  test("websocket-reconnect-store-false-recovery", async () => {
    const first = await overSocket([() => ask("The word is copper.")]);
    const [lost, recovered] = await overSocket([() => ask("Which word?", after(first)), () => ask("Begin again.")]);
    expect(lost).toMatchObject(notFound);
    isWhole(recovered.response);
  });

  test("websocket-previous-response-not-found", async () => {
    const [end] = await overSocket([() => ask("And?", { previous_response_id: "resp_missing" })]);
    expect(end).toMatchObject(notFound);
  });

  test("websocket-failed-continuation-evicts-cache", async () => {
    const lost = [{ type: "function_call_output", call_id: "call_missing", output: "lost" }];
    const [first, failed, retried] = await overSocket([
      () => ask("The word is ember."),
      (before) => ask(lost, after(before)),
      (before) => ask("Which word?", after(before)),
    ]);
    isWhole(first.response);
    expect(failed.type === "error" || failed.response.status === "failed").toBe(true);
    expect(retried).toMatchObject(notFound);
  });
});
