import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonRecord } from "@modelgate/formats/json";
import { vendorTextWire, wires } from "../../src/text/wires.ts";
import { historyRules } from "./history-rules.ts";

/** Step of a conversation. `at` selects one of the calls that have no result yet. */
type Step =
  | { readonly kind: "user" | "system" | "model" | "thought" | "call"; readonly text: string }
  | { readonly kind: "result"; readonly text: string; readonly at: number };

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("user", "system", "model", "thought", "call"), text: word }),
    fc.record({ kind: fc.constant("call"), text: word }),
    fc.record({ kind: fc.constant("result"), text: word, at: fc.nat(3) }),
  ),
  { minLength: 1, maxLength: 14 },
) as fc.Arbitrary<readonly Step[]>;

/** Names of calls: unique in the conversation, or repeated, as by vendors that count per answer. */
const namings = fc.constantFrom(
  (at: number) => `call_${at}`,
  (at: number) => `call_${at % 2}`,
);

/** Adds the missing results, and the number of its call to each call and result. */
function complete(all: readonly Step[]): readonly (Step & { readonly call?: number })[] {
  const open: number[] = [];
  let calls = 0;
  const numberedSteps = all.flatMap((step): readonly (Step & { readonly call?: number })[] => {
    if (step.kind === "call") {
      open.push(calls);
      return [{ ...step, call: calls++ }];
    }
    if (step.kind !== "result") return [step];
    const [call] = open.splice(step.at % Math.max(1, open.length), 1);
    return call === undefined ? [] : [{ ...step, call }];
  });
  return [...numberedSteps, ...open.map((call) => ({ kind: "result", text: "late", at: 0, call }) as const)];
}

type Naming = (at: number) => string;
type Writer = (all: ReturnType<typeof complete>, name: Naming) => JsonRecord;

const writers: Readonly<Record<string, Writer>> = {
  responses: (all, name) => ({
    model: "m",
    input: all.map(({ kind, text, call = 0 }) => {
      if (kind === "call") return { type: "function_call", call_id: name(call), name: text, arguments: "{}" };
      if (kind === "result") return { type: "function_call_output", call_id: name(call), output: text };
      if (kind === "thought") return { type: "reasoning", summary: [{ type: "summary_text", text }], content: null };
      const role = kind === "model" ? "assistant" : kind;
      return { type: "message", role, content: [{ type: kind === "model" ? "output_text" : "input_text", text }] };
    }),
  }),
  interactions: (all, name) => ({
    model: "m",
    input: grouped(all)
      .filter(({ role }) => role !== "system")
      .flatMap(({ role, steps: own }) =>
        own.map(({ kind, text, call = 0 }) => {
          if (kind === "call") return { type: "function_call", id: name(call), name: text, arguments: {} };
          if (kind === "result") return { type: "function_result", call_id: name(call), name: "f", result: text };
          return { type: role === "user" ? "user_input" : "model_output", content: [{ type: "text", text }] };
        }),
      ),
  }),
  chat: (all, name) => ({ model: "m", messages: grouped(all).flatMap((turn) => chatTurn(turn, name)) }),
  "ollama-chat": (all, name) => ({ model: "m", messages: grouped(all).flatMap((turn) => ollamaTurn(turn, name)) }),
  messages: (all, name) => ({
    model: "m",
    max_tokens: 9,
    messages: alternating(grouped(all)).map((turn) => ({
      role: turn.role,
      content: turn.steps.map(({ kind, text, call = 0 }) => {
        if (kind === "call") return { type: "tool_use", id: name(call), name: text, input: {} };
        if (kind === "result") return { type: "tool_result", tool_use_id: name(call), content: text };
        return { type: "text", text };
      }),
    })),
  }),
  // Adjacent contents of one role are one turn of this wire.
  content: (all, name) => ({
    contents: alternating(grouped(all)).flatMap(({ role, steps: own }) =>
      own.map(({ kind, text, call = 0 }) => {
        const part =
          kind === "call"
            ? { functionCall: { id: name(call), name: "f", args: {} } }
            : kind === "result"
              ? { functionResponse: { id: name(call), name: "f", response: { output: text } } }
              : { text };
        return { role: role === "user" ? "user" : "model", parts: [part] };
      }),
    ),
  }),
};

interface Group {
  readonly role: "user" | "assistant" | "system";
  readonly steps: ReturnType<typeof complete>[number][];
}

/** Groups the steps to turns in which results directly follow the turn of their calls. */
function grouped(all: ReturnType<typeof complete>): readonly Group[] {
  const results = new Map(all.flatMap((step) => (step.kind === "result" ? [[step.call, step] as const] : [])));
  const groups: Group[] = [];
  const roles = {
    user: "user",
    system: "system",
    model: "assistant",
    thought: "assistant",
    call: "assistant",
  } as const;
  for (const step of all) {
    if (step.kind === "result") continue;
    const role = roles[step.kind];
    const last = groups.at(-1);
    const joins = role === "assistant" && last?.role === role && step.kind === "call";
    if (joins) last?.steps.push(step);
    else groups.push({ role, steps: [step] });
  }
  return groups.flatMap((group): readonly Group[] => {
    const callResults = group.steps.flatMap(({ kind, call }) => (kind === "call" ? [results.get(call)] : []));
    const definedResults = callResults.filter((step) => step !== undefined);
    return definedResults.length === 0 ? [group] : [group, { role: "user", steps: definedResults.toReversed() }];
  });
}

function alternating(groups: readonly Group[]): readonly Group[] {
  const turns: Group[] = [];
  for (const { role, steps: own } of groups) {
    const last = turns.at(-1);
    if (role === "system") continue;
    if (last?.role === role) last.steps.push(...own);
    else turns.push({ role, steps: [...own] });
  }
  const hello = { role: "user", steps: [{ kind: "user", text: "hello" }] } as const;
  return turns[0]?.role === "user" ? turns : [{ ...hello, steps: [...hello.steps] }, ...turns];
}

function chatTurn({ role, steps: own }: Group, name: Naming): readonly JsonRecord[] {
  if (own[0]?.kind === "result")
    return own.map(({ text, call = 0 }) => ({ role: "tool", tool_call_id: name(call), content: text }));
  const calls = own.filter(({ kind }) => kind === "call");
  const text = own.flatMap((step) => (step.kind === "call" ? [] : [step.text])).join(" ");
  if (calls.length === 0) return [{ role, content: text }];
  const renderedCalls = calls.map(({ text: tool, call = 0 }) => ({
    id: name(call),
    type: "function",
    function: { name: tool, arguments: "{}" },
  }));
  return [{ role, content: text === "" ? null : text, tool_calls: renderedCalls }];
}

/** Ollama's calls have no ids, and results name only their tool. */
function ollamaTurn(group: Group, name: Naming): readonly JsonRecord[] {
  return chatTurn(group, name).map(({ tool_call_id: _id, tool_calls: calls, content, ...message }) => ({
    ...message,
    content: content ?? "",
    ...(Array.isArray(calls)
      ? { tool_calls: calls.map((call) => ({ function: { ...call.function, arguments: {} } })) }
      : {}),
  }));
}

const clients = ["responses", "chat", "messages", "content", "interactions", "ollama-chat"] as const;
const vendors = ["responses", "chat", "messages", "content", "converse", "interactions"] as const;

const directions = clients.flatMap((client) => [
  ...vendors.map((vendor) => [client, vendor, "m"] as const),
  [client, "messages", "claude-opus-4-8"] as const,
]);

test.each(directions)(
  "a history in the format of %s is rendered as a valid history for %s with the model %s",
  (from, to, model) => {
    fc.assert(
      fc.property(steps, namings, (all, name) => {
        const body = writers[from]?.(complete(all), name) ?? {};
        if (from !== "ollama-chat") fc.pre(historyRules[from](body) === undefined);
        const { request } = wires[from].client.read(body, { model: "m" });
        fc.pre(request.turns.length > 0);
        const rendered = vendorTextWire(to).vendor.render(request, { model, defaultMaxTokens: 99 });
        const sent = JSON.parse(JSON.stringify(rendered.body));
        expect([historyRules[to](sent), sent]).toEqual([undefined, sent]);
      }),
      { numRuns: 300 },
    );
  },
);

test("two model turns with a call each, and both results after them, become one message with both calls", () => {
  const call = (id: string) => ({
    role: "model",
    parts: [{ text: id }, { functionCall: { id, name: "f", args: {} } }],
  });
  const answer = (id: string) => ({ functionResponse: { id, name: "f", response: { output: id } } });
  const contents = [
    { role: "user", parts: [{ text: "Go" }] },
    call("a"),
    call("b"),
    { role: "user", parts: [answer("a"), answer("b")] },
  ];
  const { request } = wires.content.client.read({ contents }, { model: "m" });
  const { body } = vendorTextWire("chat").vendor.render(request, { model: "m", defaultMaxTokens: 99 });
  const callOf = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  expect(body["messages"]).toEqual([
    { role: "user", content: "Go" },
    { role: "assistant", content: "a\n\nb", tool_calls: [callOf("a"), callOf("b")] },
    { role: "tool", tool_call_id: "a", content: "a" },
    { role: "tool", tool_call_id: "b", content: "b" },
  ]);
});
