import { APIError } from "@anthropic-ai/sdk";
import type { BetaTool } from "@anthropic-ai/sdk/resources/beta/messages";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Area } from "../../../../libs/relay/test/area.ts";
import { anthropicAt, keyOf, startText } from "../every-vendor.ts";
import { forbidWarnings } from "../forbid-warnings.ts";
import { ownAndOther } from "../vendors.ts";

let area: Area;
beforeAll(async () => {
  area = await startText({ accounts: ["other"] });
});
afterAll(() => area?.[Symbol.asyncDispose]());
forbidWarnings();

const beta = (account = "demo") => anthropicAt(area.url, keyOf(account)).beta.messages;
const max = 2_000;
const betas = ["message-threads-2026-08-12" as const];
const weather: BetaTool = {
  name: "weather",
  description: "The weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};

describe.each(ownAndOther("messages"))("threads over $name", ({ name: model }) => {
  const sent = async () => await area.simulator.requests(model);
  const lastBody = async (): Promise<string> => (await sent()).at(-1)?.body ?? "";

  test("a tool runner runs its loop over a thread, streamed or not", async () => {
    for (const stream of [false, true]) {
      const runner = beta().toolRunner({
        model,
        max_tokens: max,
        stream,
        messages: [{ role: "user", content: 'call weather {"city":"Oslo"}' }],
        tools: [{ ...weather, run: () => "rain", parse: (input: unknown) => input }],
      });
      const last = await runner.runUntilDone();
      expect(last.content).toMatchObject([{ type: "text", text: "rain" }]);
      expect(await lastBody()).toContain("Oslo");
      expect(await lastBody()).not.toContain("thread");
    }
  });

  test("each turn includes those before it, and the thread's settings", async () => {
    const thread = beta().thread({ model, max_tokens: max, system: "Be brief.", tools: [weather] });
    await thread.send({ role: "user", content: "My name is Ada." });
    const before = (await sent()).length;
    for await (const _ of thread.stream({ role: "user", content: "And who are you?" }));
    const last = await thread.send({ role: "user", content: "Who am I?" });
    expect(last.content).toMatchObject([{ type: "text", text: "You said: Who am I?" }]);
    const body = await lastBody();
    for (const words of ["Be brief.", "weather", "My name is Ada.", "You said: And who are you?", "Who am I?"])
      expect(body).toContain(words);
    expect((await sent()).length).toBe(before + 2);
  });

  test("reasoning stays with its thread", async () => {
    const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
    const thread = beta().thread({ model, max_tokens: max, thinking, tools: [weather] });
    const first = await thread.send({ role: "user", content: 'call weather {"city":"Oslo"}' });
    const call = first.content.find((block) => block.type === "tool_use");
    const content = [{ type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "rain" }];
    const second = await thread.send({ role: "user", content });
    expect(second.content.at(-1)).toMatchObject({ type: "text", text: "rain" });
  });
});

test.each<[string, string, object, object]>([
  ["an unknown message", "demo", {}, { status: 404, code: "thread_not_found" }],
  ["another account's", "other", {}, { status: 404, code: "thread_not_found" }],
  ["other tools", "demo", { tools: [weather] }, { status: 400, code: undefined }],
  ["another kind of thread", "demo", { thread: { type: "fork" } }, { status: 400, code: undefined }],
])("a thread is not continued from %s", async (name, account, more, { status, code }: any) => {
  const model = "messages";
  const messages = [{ role: "user" as const, content: "Hello" }];
  const { id } = await beta().create({ model, max_tokens: max, messages, betas, thread: { type: "create" } });
  const previous = name === "an unknown message" ? "msg_none" : id;
  const clientRequest = { model, max_tokens: max, messages, betas };
  const failed: unknown = await beta(account)
    .create({ ...clientRequest, thread: { type: "continue", previous_message_id: previous }, ...more })
    .catch((error: unknown) => error);
  if (!(failed instanceof APIError)) throw new Error("it was answered");
  expect(failed.status).toBe(status);
  expect(failed.error).toMatchObject({ error: code === undefined ? {} : { details: { error_code: code } } });
});
