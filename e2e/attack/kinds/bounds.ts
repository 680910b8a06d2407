import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { formatDollars, statusesOf, attackResult, type Attack } from "../attack.ts";
import { json, type Handler } from "../vendor.ts";
import { textAnswer, textRequest, textModels, textWires, wireOfRequest, type TextWire } from "./wires.ts";

/** Tolerance in US dollars, for rounding and input tokens. */
const toleranceDollars = 0.01;

/** Contradictory limits in one request. The gateway could use the small one, and the vendor the large one. */
const contradictions: Readonly<Record<TextWire, readonly object[]>> = {
  chat: [
    { max_completion_tokens: 1, max_tokens: 100_000 },
    { max_tokens: 1, max_completion_tokens: 100_000 },
    { max_tokens: 1, max_output_tokens: 100_000 },
  ],
  responses: [
    { max_output_tokens: 16, max_tokens: 100_000 },
    { max_output_tokens: 16, max_completion_tokens: 100_000 },
  ],
  messages: [
    { max_tokens: 1, max_tokens_to_sample: 100_000 },
    { max_tokens: 1, max_completion_tokens: 100_000 },
  ],
  generateContent: [
    { generationConfig: { maxOutputTokens: 1, max_output_tokens: 100_000 } },
    { generationConfig: { maxOutputTokens: 1 }, generation_config: { max_output_tokens: 100_000 } },
    { generationConfig: { max_output_tokens: 100_000 }, generation_config: { maxOutputTokens: 1 } },
  ],
};

/** Returns the highest output limit in a request. */
function highestLimit(body: string): number {
  const bounds = [...body.matchAll(/"max[a-z_]*tokens[a-z_]*"\s*:\s*(\d+)/gi)].map(([, bound]) => Number(bound));
  return Math.max(0, ...bounds);
}

/** Vendor that uses the highest output limit in a request. */
const generatesMaximum: Handler = (request, response) =>
  json(response, textAnswer(wireOfRequest(request), { output: highestLimit(request.body) }));

const outputPrice = 200;

const twoBounds: Attack = {
  id: "two-bounds",
  name: "sends contradictory output limits in one request, in every format",
  area: "text",
  balance: "0.05",
  extraAccounts: Object.values(contradictions).flat().length,
  models: textModels({ output: outputPrice }, generatesMaximum),
  async run(context) {
    const calls = textWires.flatMap((wire) =>
      contradictions[wire].map((more) => textRequest(wire, context.model(wire), more)),
    );
    const { answers, spendings } = await context.sendFromEach(calls);
    const spent = spendings.reduce((all, each) => all + each, 0);
    const generatedTokens = textWires.flatMap((wire) => context.requests(wire).map(({ body }) => highestLimit(body)));
    const cost = (generatedTokens.reduce((all, each) => all + each, 0) * outputPrice) / 1e6;
    return attackResult(
      `${answers.length} requests: ${statusesOf(answers)}`,
      `${formatDollars(cost)} at the vendor, ${formatDollars(spent)} billed`,
      [cost - spent > toleranceDollars && `the operator pays ${formatDollars(cost - spent)}`],
    );
  },
};

/** Usage that no call can have. */
const impossibleUsage: readonly unknown[] = [1e300, 1e15, 2 ** 63, -5, "100000", 1.5e9, true, { a: 1 }, [7]];
/** US dollars per million output tokens: ten tokens cost one cent. */
const expensivePrice = 1_000;
/** Maximum charge of a call with ten output tokens, for any reported usage (libs/relay/src/money/usage-bound.ts). */
const maxOfTenTokens = 0.1;

const tenTokens: Readonly<Record<TextWire, object>> = {
  chat: { max_completion_tokens: 10 },
  responses: { max_output_tokens: 16 },
  messages: { max_tokens: 10 },
  generateContent: { generationConfig: { maxOutputTokens: 10 } },
};

/** Creates an attack that sends each of `texts` in calls with a limit of ten output tokens. */
const tenTokenAttack = (
  id: string,
  name: string,
  price: object,
  answers: Handler,
  texts: readonly string[],
): Attack => ({
  id,
  name,
  area: "text",
  extraAccounts: textWires.length * texts.length,
  models: textModels(price, answers),
  async run(context) {
    const calls = textWires.flatMap((wire) =>
      texts.map((text) => textRequest(wire, context.model(wire), tenTokens[wire], text)),
    );
    const { answers: all, spendings } = await context.sendFromEach(calls);
    const maxSpent = Math.max(...spendings);
    return attackResult(
      `${all.length} calls: ${statusesOf(all)}`,
      `at most ${formatDollars(maxSpent)} billed of a call that may cost ${formatDollars(maxOfTenTokens)}`,
      [
        maxSpent > maxOfTenTokens && `an account paid ${formatDollars(maxSpent)} for a call of ten tokens`,
        Math.min(...spendings) < 0 && "an account was paid for its calls",
        all.some(({ status }) => status !== 200) && "a call of ten tokens was not served, so a wire was not tried",
      ],
    );
  },
});

/** Vendor that reports the usage in the text of a request. */
const reportsFromRequest: Handler = (request, response) => {
  const reported: unknown = JSON.parse(Buffer.from(/report=(\w+)/.exec(request.body)?.[1] ?? "", "hex").toString());
  json(response, textAnswer(wireOfRequest(request), { input: reported, output: reported }));
};

/** Tokens that the vendor generates in complete answers and in streams. Ten were requested. */
const [wholeTokens, streamTokens] = [34_130, 6_000];
/** Maximum tokens of a stream beyond its limit. Some are in buffers or between two checks. */
const maxExtraTokens = 1_500;

const overlongAnswer: Handler = (request, response) =>
  json(response, textAnswer(wireOfRequest(request), { text: "word ".repeat(wholeTokens), output: wholeTokens }));

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const delta = { output_index: 0, content_index: 0, delta: "word " };
const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "m" };

/** Stream event with one token, by wire. */
const wordOf: Readonly<Record<TextWire, string>> = {
  chat: event({ ...chunk, choices: [{ index: 0, delta: { content: "word " }, finish_reason: null }] }),
  responses: event({ type: "response.output_text.delta", item_id: "msg_1", ...delta }, "response.output_text.delta"),
  messages: event(
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word " } },
    "content_block_delta",
  ),
  generateContent: event({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: "word " }] } }] }),
};

function openingOf(wire: TextWire): string {
  if (wire !== "messages") return "";
  const message = { ...textAnswer("messages"), content: [], stop_reason: null };
  const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  return event({ type: "message_start", message }, "message_start") + event(block, "content_block_start");
}

/** Writes 2,000 tokens per second until the gateway disconnects. */
async function streamTokensUntilCut(
  wire: TextWire,
  response: ServerResponse,
  count: (tokens: number) => void,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(openingOf(wire));
  const [perStep, stepMs] = [10, 5];
  for (let sentTokens = 0; sentTokens < streamTokens && !response.destroyed; sentTokens += perStep) {
    response.write(wordOf[wire].repeat(perStep));
    count(perStep);
    await pause(stepMs);
  }
  response.end();
}

/** Creates an attack whose vendor streams far beyond the limit of a request. */
function endlessStreamAttack(wire: TextWire): Attack {
  let sentTokens = 0;
  const answers: Handler = (_, response) => streamTokensUntilCut(wire, response, (tokens) => (sentTokens += tokens));
  return {
    id: `endless-${wire.toLowerCase()}`,
    name: `makes a vendor stream beyond a limit of ten tokens (${wire})`,
    area: "text",
    models: textModels({ output: expensivePrice }, answers).filter(({ name }) => name === wire),
    async run(context) {
      sentTokens = 0;
      const stream = wire === "generateContent" ? {} : { stream: true };
      const { path, ...request } = textRequest(wire, context.model(wire), { ...tenTokens[wire], ...stream });
      const streamed = path.replace(":generateContent", ":streamGenerateContent?alt=sse");
      const answer = await context.send({ ...request, path: streamed });
      const spent = await context.readSpending(context.attacker);
      return attackResult(
        `1 stream: ${answer.status} ${answer.end}`,
        `cut after ${sentTokens} tokens; ${formatDollars(spent)} billed`,
        [
          sentTokens > maxExtraTokens &&
            `the vendor made ${sentTokens} tokens, ${formatDollars((sentTokens * expensivePrice) / 1e6)}`,
        ],
      );
    },
  };
}

/** Attacks that try to make a call cost more than its hold. */
export const boundAttacks: readonly Attack[] = [
  twoBounds,
  tenTokenAttack(
    "usage",
    "makes a vendor report impossible usage (1e300, negative, not a number)",
    { input: 1, output: expensivePrice },
    reportsFromRequest,
    impossibleUsage.map((lie) => `report=${Buffer.from(JSON.stringify(lie)).toString("hex")}`),
  ),
  tenTokenAttack(
    "overlong",
    `makes a vendor generate, with a limit of ten tokens, ${wholeTokens}`,
    { output: expensivePrice },
    overlongAnswer,
    ["Hello"],
  ),
  ...textWires.map(endlessStreamAttack),
];
