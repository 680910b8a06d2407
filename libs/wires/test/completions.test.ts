import { runToEnd, type JsonRecord } from "@modelgate/formats/json";
import { Failure } from "@modelgate/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wires } from "../src/text/wires.ts";
import { readParams, inspectedMembers, maxPrompts, parsePromptRequests } from "../src/text/completions/request.ts";
import { completionsWire, completionsPass } from "../src/text/completions/index.ts";
import { renderPromptAnswers } from "../src/text/completions/answer.ts";
import { streamPromptAnswers } from "../src/text/completions/stream.ts";
import type { Choice, TextAnswer } from "../src/text/hub/answer.ts";
import type { Part } from "../src/text/hub/part.ts";
import { answerToEvents } from "../src/text/hub/events.ts";
import { textWireNames, type TextRequest } from "../src/text/hub/request.ts";
import { failureOf, units, word } from "./arbitraries.ts";
import { contextFor, framesOf } from "./harness.ts";

const userTurns = (prompt: string): TextRequest["turns"] => [{ role: "user", parts: [{ kind: "text", text: prompt }] }];
const answerOf = (text: string, more: Partial<Choice> = {}): TextAnswer => ({
  id: "chat-1",
  model: "theirs",
  createdAt: 0,
  choices: [{ parts: [{ kind: "text", text }], finish: "stop", ...more }],
});
const chunksOf = (stream: string): readonly JsonRecord[] =>
  framesOf(stream)
    .filter(({ data }) => data !== "[DONE]")
    .map(({ data }) => JSON.parse(data));

function collected(stream: string): JsonRecord {
  const choices = new Map<number, { text: string; index: number; finish_reason: unknown }>();
  let usage: unknown;
  for (const chunk of chunksOf(stream)) {
    usage = chunk["usage"] ?? usage;
    for (const { text, index, finish_reason } of chunk["choices"] as readonly {
      text: string;
      index: number;
      finish_reason: unknown;
    }[]) {
      const known = choices.get(index) ?? { text: "", index, finish_reason: null };
      choices.set(index, { text: known.text + text, index, finish_reason: finish_reason ?? known.finish_reason });
    }
  }
  return { choices: [...choices.values()], usage };
}

describe("a completion request on a chat model", () => {
  test("the request is converted to the neutral form", () => {
    const parsed = completionsWire.client.read({
      model: "mine",
      prompt: "Once",
      suffix: "",
      max_tokens: 5,
      temperature: 0,
      top_p: 0.5,
      n: 2,
      best_of: 2,
      stream: true,
      stream_options: { include_usage: true, include_obfuscation: false },
      logprobs: 3,
      echo: false,
      stop: "\n",
      presence_penalty: 1,
      frequency_penalty: -1,
      logit_bias: { "50256": -100 },
      seed: -3,
      user: "u",
      strange: 1,
    });
    expect(parsed).toEqual({
      request: {
        model: "mine",
        stream: true,
        instructions: [],
        turns: userTurns("Once"),
        maxTokens: 5,
        temperature: 0,
        topP: 0.5,
        choices: 2,
        includeUsage: true,
        logProbabilities: { alternatives: 3 },
        stop: ["\n"],
        presencePenalty: 1,
        frequencyPenalty: -1,
        logitBias: { "50256": -100 },
        seed: -3,
        user: "u",
      },
      dropped: ["strange"],
    });
  });

  test("an absent field has the default of this wire", () => {
    const { request } = completionsWire.client.read({ model: "mine", prompt: ["Once"], n: null });
    expect(request).toEqual({
      model: "mine",
      stream: false,
      instructions: [],
      turns: userTurns("Once"),
      maxTokens: 16,
    });
  });

  test("several prompts become several calls", () => {
    const body = { model: "mine", prompt: ["a", "b"], n: 2 };
    expect(parsePromptRequests(body).requests.map(({ turns }) => turns)).toEqual([userTurns("a"), userTurns("b")]);
    expect(failureOf(() => completionsWire.client.read(body))).toMatchObject({
      code: "unsupported_parameter",
      param: "prompt",
    });
  });

  test.each(textWireNames)("the %s wire can express it", (wire) => {
    const { request } = completionsWire.client.read({ model: "m", prompt: "Once", temperature: 0.5 });
    const { dropped } = wires[wire].vendor.render(request, { model: "theirs", defaultMaxTokens: 1 });
    expect(dropped).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["tokens", { prompt: [1, 2] }, "prompt"],
    ["many tokens", { prompt: Array.from({ length: 99 }, () => 1) }, "prompt"],
    ["arrays of tokens", { prompt: [[1], [2]] }, "prompt"],
    ["a suffix", { prompt: "a", suffix: "b" }, "suffix"],
    ["best_of above n", { prompt: "a", best_of: 3 }, "best_of"],
    ["log probabilities of an echo", { prompt: "a", echo: true, logprobs: 1 }, "echo"],
  ])("a request that chat wires cannot express is refused: %s", (_, body, param) => {
    expect(failureOf(() => parsePromptRequests({ model: "m", ...body }))).toMatchObject({
      code: "unsupported_parameter",
      param,
    });
  });

  test.each<[string, object, string]>([
    ["no model", { prompt: "a" }, "model"],
    ["no prompt", { model: "m" }, "prompt"],
    ["an empty prompt", { model: "m", prompt: "" }, "prompt"],
    ["no prompts", { model: "m", prompt: [] }, "prompt"],
    ["a prompt of another type", { model: "m", prompt: ["a", {}] }, "prompt[1]"],
    ["too many", { model: "m", prompt: Array.from({ length: maxPrompts + 1 }, () => "a") }, "prompt"],
    ["no tokens", { model: "m", prompt: "a", max_tokens: 0 }, "max_tokens"],
    ["too many log probabilities", { model: "m", prompt: "a", logprobs: 6 }, "logprobs"],
    ["best_of below n", { model: "m", prompt: "a", n: 2, best_of: 1 }, "best_of"],
    ["a stop of another type", { model: "m", prompt: "a", stop: [1] }, "stop[0]"],
    ["an echo of another type", { model: "m", prompt: "a", echo: 1 }, "echo"],
  ])("an error names the invalid field: %s", (_, body, param) => {
    expect(failureOf(() => parsePromptRequests({ ...body }))).toMatchObject({ status: 400, param });
  });
});

describe("a complete answer", () => {
  test("includes the echo and usage", () => {
    const clientBody = { model: "mine", prompt: "Once", echo: true };
    const context = { ...contextFor({}, clientBody), request: completionsWire.client.read(clientBody).request };
    const answer = { ...answerOf(" upon", { finish: "length" }), usage: { inputTokens: 2, outputTokens: 1 } };
    expect(completionsWire.client.render(answer, context)).toEqual({
      id: "resp_abc",
      object: "text_completion",
      created: 1_763_700_000,
      model: "mine",
      choices: [{ text: "Once upon", index: 0, logprobs: null, finish_reason: "length" }],
      usage: expect.objectContaining({ prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 }),
    });
  });

  test("of several prompts numbers its choices consecutively and sums the usage", () => {
    const { requests } = parsePromptRequests({ model: "mine", prompt: ["a", "b"], n: 2 });
    const two = (text: string): TextAnswer => ({
      ...answerOf(text),
      choices: [...answerOf(`${text}0`).choices, ...answerOf(`${text}1`).choices],
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    const all = requests.map((request, index) => ({ request, answer: two(`p${index}`) }));
    expect(renderPromptAnswers(all, contextFor())).toMatchObject({
      choices: ["p00", "p01", "p10", "p11"].map((text, index) => ({ text, index })),
      usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
    });
    const unreported = all.map(({ request }, index) => ({ request, answer: index === 0 ? two("a") : answerOf("b") }));
    expect(renderPromptAnswers(unreported, contextFor())).not.toHaveProperty("usage");
  });

  test("has log probabilities as parallel lists", () => {
    const logProbabilities = [
      { token: "Hi", logProbability: -0.1, alternatives: [{ token: "Ho", logProbability: -2 }] },
      { token: "!", logProbability: -0.2, alternatives: [] },
    ];
    const answer = answerOf("", { parts: [{ kind: "text", text: "Hi!", logProbabilities }] });
    const expected = {
      tokens: ["Hi", "!"],
      token_logprobs: [-0.1, -0.2],
      top_logprobs: [{ Ho: -2 }, {}],
      text_offset: [0, 2],
    };
    expect(completionsWire.client.render(answer, contextFor())).toMatchObject({
      choices: [{ logprobs: expected }],
    });
    const writer = completionsWire.client.stream(contextFor());
    const [first] = chunksOf(
      answerToEvents(answer)
        .map((event) => writer.write(event))
        .join(""),
    );
    expect(first).toMatchObject({ choices: [{ text: "Hi!", logprobs: expected, finish_reason: null }] });
  });

  test("reasoning is left out; a refusal is rendered as text", () => {
    const parts: readonly Part[] = [
      { kind: "reasoning", text: "hm" },
      { kind: "refusal", text: "No." },
    ];
    expect(completionsWire.client.render(answerOf("", { parts, finish: "refused" }), contextFor())).toMatchObject({
      choices: [{ text: "No.", finish_reason: "content_filter" }],
    });
  });

  test("an empty answer is the vendor's failure", () => {
    const empty = { ...answerOf(""), choices: [] };
    expect(failureOf(() => completionsWire.client.render(empty, contextFor())).code).toBe("upstream_error");
  });
});

describe("a stream", () => {
  const finish = fc.constantFrom("stop", "length", "filtered", "other") as fc.Arbitrary<Choice["finish"]>;
  const part: fc.Arbitrary<Part> = fc.oneof(
    word.map((text): Part => ({ kind: "text", text })),
    word.map((text): Part => ({ kind: "reasoning", text })),
  );
  const answers = fc
    .record({
      choices: fc.array(fc.record({ parts: fc.array(part, { maxLength: 3 }), finish }), { minLength: 2, maxLength: 2 }),
      usage: units,
    })
    .map((changed): TextAnswer => ({ ...answerOf(""), ...changed }));

  test("has the same content as the complete answer, over all prompts", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, answers), { minLength: 1, maxLength: 3 }), fc.boolean(), (all, echo) => {
        const clientBody = {
          model: "mine",
          prompt: all.map(([prompt]) => prompt),
          n: 2,
          echo,
          stream_options: { include_usage: true },
        };
        const { requests } = parsePromptRequests(clientBody);
        const context = { ...contextFor({}, clientBody), request: requests[0] };
        const pairs = all.flatMap(([, answer], index) => {
          const request = requests[index];
          return request === undefined ? [] : [{ request, answer }];
        });
        const { choices, usage } = renderPromptAnswers(pairs, context);
        const bare = (choices as readonly JsonRecord[]).map(({ text, index, finish_reason }) => ({
          text,
          index,
          finish_reason,
        }));
        expect(collected(streamPromptAnswers(pairs, context))).toEqual({ choices: bare, usage });
      }),
    );
  });

  test("a streamed answer has the form of this wire", () => {
    const writer = completionsWire.client.stream(contextFor());
    const stream =
      answerToEvents(answerOf(" there"))
        .map((event) => writer.write(event))
        .join("") + writer.end();
    const head = { id: "resp_abc", object: "text_completion", created: 1_763_700_000, model: "mine" };
    expect(chunksOf(stream)).toEqual([
      { ...head, choices: [{ text: " there", index: 0, logprobs: null, finish_reason: null }] },
      { ...head, choices: [{ text: "", index: 0, logprobs: null, finish_reason: "stop" }] },
    ]);
    expect(stream.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("a stream without text still ends", () => {
    const writer = completionsWire.client.stream(contextFor());
    expect(chunksOf(writer.end())).toMatchObject([{ choices: [{ text: "", index: 0, finish_reason: "stop" }] }]);
  });

  test("a broken stream ends with an error frame", () => {
    const writer = completionsWire.client.stream(contextFor());
    const [frame] = chunksOf(writer.fail(new Failure("upstream_error"), "r"));
    expect(frame).toMatchObject({ error: { code: "upstream_error" } });
  });
});

describe("a request that is passed through", () => {
  const frame = (value: object) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

  test("changes only the model's name and the usage setting", () => {
    const body = Buffer.from('{"model":"mine", "prompt":"a", "seed":12345678901234567890}');
    expect(runToEnd(completionsPass.upstreamBody(body, { model: "theirs", reportUsage: true })).toString()).toBe(
      '{"model":"theirs", "prompt":"a", "seed":12345678901234567890,"stream_options":{"include_usage":true}}',
    );
  });

  test("frames are inspected", () => {
    const usage = frame({ choices: [], usage: { prompt_tokens: 2, completion_tokens: 1 } });
    expect(completionsPass.inspect(usage)).toMatchObject({
      usageOnly: true,
      usage: { inputTokens: 2, outputTokens: 1 },
    });
    expect(completionsPass.inspect(Buffer.from("data: [DONE]\n\n")).done).toBe(true);
    expect(completionsPass.inspect(frame({ error: { message: "no" } })).failure).toMatchObject({ message: "no" });
    const chunk = frame({ model: "theirs", choices: [{ text: "a", index: 0 }] });
    expect(completionsPass.renameFrame(chunk, "mine").toString()).toContain('"model":"mine"');
  });

  test("the model's text is found in frames and in complete answers", () => {
    const drawnTexts = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(drawnTexts, (texts) => {
        const frames = texts.map((text) =>
          frame({ id: "text", model: "m", choices: [{ text, index: 0, logprobs: null }] }),
        );
        const raw = frames.map((each) => completionsPass.extractRawText(each)).join("");
        expect(completionsPass.extractText(raw)).toBe(texts.join(""));
        const whole = {
          object: "text_completion",
          choices: texts.map((text, index) => ({ text, index })),
          usage: null,
        };
        expect(completionsPass.extractText(JSON.stringify(whole))).toBe(texts.join(""));
      }),
    );
  });
});

describe("parameters for admission", () => {
  test.each<[object, object]>([
    [{ prompt: "a" }, { maxOutputTokens: undefined, choices: 1, stream: false, includeUsage: false }],
    [
      { prompt: [1, 2, 3], max_tokens: 7 },
      { maxOutputTokens: 7, choices: 1 },
    ],
    [
      { prompt: ["a", "b"], n: 2, best_of: 3, max_tokens: 7 },
      { maxOutputTokens: 42, choices: 6 },
    ],
    [
      { prompt: null, stream: true, stream_options: { include_usage: true } },
      { stream: true, includeUsage: true },
    ],
  ])("of %j", (body, ask) => {
    expect(readParams({ model: "m", ...body })).toMatchObject({ model: "m", ...ask });
  });

  test.each<[object, string]>([
    [{ prompt: "a" }, "model"],
    [{ model: "m", prompt: 1 }, "prompt"],
    [{ model: "m", prompt: "a", max_tokens: -1 }, "max_tokens"],
    [{ model: "m", prompt: "a", n: 999 }, "n"],
  ])("an error names the invalid field: %j", (body, param) => {
    expect(failureOf(() => readParams(body))).toMatchObject({ status: 400, param });
  });

  test("members must appear only once", () => {
    expect(inspectedMembers).toEqual(expect.arrayContaining(["model", "max_tokens", "best_of", "stream_options"]));
  });
});
