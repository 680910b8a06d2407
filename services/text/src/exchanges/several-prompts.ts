import { addUnits, type Units } from "@modelgate/contracts";
import type {
  AnswerContext,
  AnsweredRequest,
  PromptBatch,
  TextClient,
  JsonObject,
  TextAnswer,
  VendorTextWire,
} from "@modelgate/wires/text";
import {
  eventStream,
  parseAnswer,
  renderJson,
  renderSupported,
  type Exchange,
  type VendorLink,
  type WholeAnswer,
} from "@modelgate/relay";
import { answerText } from "./converted.ts";
import type { TextCall } from "./text-call.ts";

/** A call with several prompts. */
export interface SeveralPrompts {
  readonly call: TextCall;
  readonly client: TextClient;
  readonly batch: PromptBatch;
  readonly upstream: VendorTextWire;
}

/**
 * Creates the exchange of a completions request with several prompts, for a chat model. Each prompt becomes one
 * request; the call has one hold of money and one usage event. The first request is the attempt; the others are sent on
 * the same route after it is answered. The client's stream begins when all requests are answered.
 */
export async function severalPrompts(
  { call, client, batch, upstream }: SeveralPrompts,
  requestBody: JsonObject,
  upstreamModel: string,
): Promise<Exchange> {
  const { name: wire, vendor } = upstream;
  const parsed = batch.read(requestBody);
  const [first, ...others] = parsed.requests.map((request) =>
    renderSupported({ spelling: client.spelling, strict: call.strict }, parsed.dropped, () =>
      vendor.render({ ...request, stream: false }, { model: upstreamModel, defaultMaxTokens: call.defaultMaxTokens }),
    ),
  );
  const bytesOf = (body: JsonObject): Promise<Buffer> => renderJson(body, call.body.length);
  if (first === undefined) throw new Error("a request without prompts");
  return {
    wire,
    body: await bytesOf(first.body),
    dropped: first.dropped,
    streams: false,
    read: () => ({
      kind: "task",
      async read(bytes) {
        const parse = async (answer: Buffer): Promise<TextAnswer> => vendor.parse(await parseAnswer(answer));
        const first = await parse(bytes);
        return {
          // There is no `usage`, because the first answer reports only that of the first prompt.
          async finish(link) {
            const bodies = await Promise.all(others.map(({ body }) => bytesOf(body)));
            const rest = await Promise.all((await sendAll(link, bodies)).map(({ bytes }) => parse(bytes)));
            return together({ call, batch }, requestBody, parsed.requests, [first, ...rest]);
          },
        };
      },
    }),
  };
}

/** Combines the answers to all prompts into one answer, with the sum of their usage. */
function together(
  { call, batch }: Pick<SeveralPrompts, "call" | "batch">,
  requestBody: JsonObject,
  requests: ReturnType<PromptBatch["read"]>["requests"],
  answers: readonly TextAnswer[],
): WholeAnswer {
  const all: readonly AnsweredRequest[] = answers.map((answer, index) => ({
    answer,
    request: requests[index] ?? requests[0],
  }));
  const context: AnswerContext = {
    model: call.model,
    requestBody,
    request: requests[0],
    answerId: call.answerId,
    now: Math.floor(Date.now() / 1_000),
    inputTokens: call.inputTokens,
  };
  return {
    body: Buffer.from(call.stream ? batch.stream(all, context) : JSON.stringify(batch.render(all, context))),
    contentType: call.stream ? eventStream : undefined,
    usage: sumOf(answers),
    words: () => answers.map(answerText).join(""),
  };
}

/** Sums the usage of several answers; undefined if one of them has none. */
function sumOf(answers: readonly TextAnswer[]): Units | undefined {
  const all = answers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return all.length < answers.length ? undefined : all.reduce((sum, usage) => addUnits(sum, usage), {});
}

/** Maximum requests of one call that run at the same time. */
const maxAtOnce = 4;

/**
 * Sends further requests of a call. Returns their answers in the order of `bodies`. Throws the Failure of the first one
 * that fails.
 */
export async function sendAll(
  link: VendorLink,
  bodies: readonly Buffer[],
): Promise<readonly Awaited<ReturnType<VendorLink["send"]>>[]> {
  const answers: Awaited<ReturnType<VendorLink["send"]>>[] = [];
  for (let at = 0; at < bodies.length; at += maxAtOnce)
    answers.push(...(await Promise.all(bodies.slice(at, at + maxAtOnce).map((body) => link.send(body)))));
  return answers;
}
