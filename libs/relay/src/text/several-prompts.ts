import { addUnits, type Units } from "@modelgate/contracts";
import {
  clientCodecs,
  parsePromptRequests,
  renderPromptAnswers,
  streamPromptAnswers,
  textCodecs,
  textPasses,
  type AnswerContext,
  type JsonObject,
  type TextAnswer,
  type TextWire,
} from "@modelgate/wires";
import { eventStream, type CarriedAnswer, type Exchange, type VendorLink } from "../exchange.ts";
import { tellLosses } from "../losses.ts";
import type { TextCall } from "./exchange.ts";
import { wordsOf } from "./words-of.ts";

/** Most calls of one request that a vendor answers at a time. */
const mostAtOnce = 4;

/**
 * Completions of several prompts over a model that only chats: a call for each, all of one hold and told in one event.
 * The first is the attempt; the others go the same way once it is answered. A stream is told when all of them are.
 */
export function severalPrompts(call: TextCall, wire: TextWire, upstreamModel: string): Exchange {
  const client = clientCodecs[call.wire];
  const vendor = textCodecs[wire];
  const asked: JsonObject = JSON.parse(call.body.toString());
  const parsed = parsePromptRequests(asked);
  const [first, ...others] = parsed.requests.map((request) =>
    tellLosses({ spelling: client.spelling, strict: call.strict }, parsed.dropped, () =>
      vendor.renderRequest(
        { ...request, stream: false },
        { model: upstreamModel, defaultMaxTokens: call.defaultMaxTokens },
      ),
    ),
  );
  if (first === undefined) throw new Error("a request without prompts");
  return {
    wire,
    body: bytesOf(first.body),
    dropped: first.dropped,
    asksStream: false,
    formOf: () => "whole",
    refuses: (frame) => textPasses[wire].see(frame).failed,
    // What the first prompt used is not what all did: that is told with the answer.
    usageOf: () => undefined,
    async whole(bytes, link) {
      const bodies = others.map(({ body }) => bytesOf(body));
      const answers = [bytes, ...(await askAll(link, bodies))].map((answer) =>
        vendor.parseAnswer(JSON.parse(answer.toString())),
      );
      return tell(call, asked, parsed.requests, answers);
    },
    stream() {
      throw new Error("several prompts are answered whole");
    },
  };
}

function bytesOf(body: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(body));
}

/** The answers in the order of the bodies. */
async function askAll(link: VendorLink, bodies: readonly Buffer[]): Promise<readonly Buffer[]> {
  const answers: Buffer[] = [];
  for (let at = 0; at < bodies.length; at += mostAtOnce)
    answers.push(...(await Promise.all(bodies.slice(at, at + mostAtOnce).map((body) => link.ask(body)))));
  return answers;
}

function tell(
  call: TextCall,
  asked: JsonObject,
  requests: ReturnType<typeof parsePromptRequests>["requests"],
  answers: readonly TextAnswer[],
): CarriedAnswer {
  const all = answers.map((answer, index) => ({ answer, request: requests[index] ?? requests[0] }));
  const context: AnswerContext = {
    model: call.model,
    asked,
    request: requests[0],
    answerId: call.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: call.inputTokens,
  };
  return {
    json: Buffer.from(
      call.stream ? streamPromptAnswers(all, context) : JSON.stringify(renderPromptAnswers(all, context)),
    ),
    contentType: call.stream ? eventStream : undefined,
    usage: sumOf(answers),
    words: () => answers.map(wordsOf).join(""),
  };
}

/** What all calls used; undefined where one of them told nothing. */
function sumOf(answers: readonly TextAnswer[]): Units | undefined {
  const all = answers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return all.length < answers.length ? undefined : all.reduce((sum, usage) => addUnits(sum, usage), {});
}

/** Whether a body of completions has more than one prompt; an array of numbers is one in tokens. */
export function hasSeveralPrompts(body: Buffer): boolean {
  const asked: JsonObject = JSON.parse(body.toString());
  const { prompt } = asked;
  return Array.isArray(prompt) && prompt.length > 1 && typeof prompt[0] === "string";
}
