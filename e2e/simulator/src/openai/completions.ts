import { memberOf, numberAt, textAt } from "../checks/members.ts";
import { requireShape, wrongField } from "../checks/refusal.ts";
import { shapeOf } from "../checks/notation.ts";
import { answerFor, type Answer } from "../core/answer.ts";
import { freshId, nowSeconds } from "../core/ids.ts";
import { questionFrom } from "../core/question.ts";
import { charactersPerToken, piecesOf, tokenTexts } from "../core/tokens.ts";
import type { Frame } from "../stream.ts";
import type { Endpoint } from "../vendor.ts";
import { doneFrame, errorFrame } from "./chat/frames.ts";
import { stopsIn } from "./chat/read.ts";
import { renderUsage } from "./chat/render.ts";
import { sharedShapes } from "./shapes.ts";

const shape = shapeOf(
  `nullable<{
    model: filled,
    prompt: string | string[1..] | integer(0, 1000000)[1..] | integer(0, 1000000)[][] | null,
    suffix?: string, max_tokens?: integer(0), temperature?: number(0, 2), top_p?: number(0, 1), n?: integer(1, 128),
    stream?: boolean, stream_options?: StreamOptions, logprobs?: integer(0, 5), echo?: boolean, stop?: Stop,
    ...Penalties, best_of?: integer(1, 20), logit_bias?: record<number>, seed?: integer, user?: string
  }>`,
  sharedShapes,
);

const defaultTokens = 16;

/** Parsed request. Each prompt gets `choices` completions. */
interface CompletionsRequest {
  readonly model: string;
  readonly prompts: readonly string[];
  readonly choices: number;
  readonly echo: boolean;
  readonly logprobs: number | undefined;
}

export const completions: Endpoint = {
  method: "POST",
  path: /^\/v1\/completions$/,
  open({ body }) {
    requireShape(body, shape);
    requireValidRequest(body);
    const prompts = promptsIn(memberOf(body, "prompt"));
    const choices = numberAt(body, "n") ?? 1;
    const parsed: CompletionsRequest = {
      model: textAt(body, "model") ?? "",
      prompts,
      choices,
      echo: memberOf(body, "echo") === true,
      logprobs: numberAt(body, "logprobs"),
    };
    const question = questionFrom(parsed.model, prompts, {
      maxTokens: numberAt(body, "max_tokens") ?? defaultTokens,
      stops: stopsIn(memberOf(body, "stop")),
      choices: choices * prompts.length,
    });
    const includeUsage = memberOf(memberOf(body, "stream_options"), "include_usage") === true;
    return {
      directive: question.directive,
      whole: (behaviour) => renderWhole(parsed, answerFor(question, behaviour)),
      streamed:
        memberOf(body, "stream") === true
          ? (behaviour) => ({
              frames: framesOf(parsed, answerFor(question, behaviour), { includeUsage, chunks: behaviour.chunks }),
              error: errorFrame,
            })
          : undefined,
    };
  },
};

function requireValidRequest(body: unknown): void {
  const [n, bestOf] = [numberAt(body, "n") ?? 1, numberAt(body, "best_of")];
  if (bestOf !== undefined && bestOf < n) throw wrongField(["best_of"], "'best_of' is at least 'n'.");
  if (bestOf !== undefined && bestOf > 1 && memberOf(body, "stream") === true)
    throw wrongField(["best_of"], "'best_of' is not for streams.");
  if (memberOf(body, "stream") !== true && (memberOf(body, "stream_options") ?? undefined) !== undefined)
    throw wrongField(["stream_options"], "'stream_options' is for streams only.");
}

/** Returns the prompts as texts. Tokens become their numbers. */
export function promptsIn(prompt: unknown): readonly string[] {
  if (typeof prompt === "string") return [prompt];
  if (!Array.isArray(prompt)) return [""];
  if (prompt.every((element) => typeof element === "number")) return [tokensWord(prompt)];
  return prompt.map((element) => (typeof element === "string" ? element : tokensWord(element)));
}

function tokensWord(tokens: unknown): string {
  const numbers = Array.isArray(tokens) ? tokens : [];
  // Four characters per token, so that the simulator counts the tokens that the client sent.
  return `tokens ${numbers.join(" ")}`
    .padEnd(numbers.length * charactersPerToken)
    .slice(0, numbers.length * charactersPerToken);
}

function headOf(model: string): object {
  return { id: freshId("cmpl-"), object: "text_completion", created: nowSeconds(), model, system_fingerprint: null };
}

function everyChoice({
  prompts,
  choices,
}: CompletionsRequest): readonly { readonly prompt: string; readonly index: number }[] {
  return prompts.flatMap((prompt, at) =>
    Array.from({ length: choices }, (_, choice) => ({ prompt, index: at * choices + choice })),
  );
}

function renderWhole(request: CompletionsRequest, answer: Answer): object {
  const usage = renderUsage(answer);
  return {
    ...headOf(request.model),
    choices: everyChoice(request).map(({ prompt, index }) => {
      const text = (request.echo ? prompt : "") + (answer.text ?? "");
      return { text, index, logprobs: renderLogprobs(text, request.logprobs), finish_reason: answer.finish };
    }),
    ...(usage && { usage }),
  };
}

const tokenLogprob = -0.125;

function renderLogprobs(text: string, top: number | undefined): object | null {
  if (top === undefined) return null;
  const tokens = tokenTexts(text);
  return {
    tokens,
    token_logprobs: tokens.map(() => tokenLogprob),
    top_logprobs: tokens.map((word) =>
      Object.fromEntries(Array.from({ length: top }, (_, at) => [at === 0 ? word : `other${at}`, tokenLogprob - at])),
    ),
    text_offset: tokens.map((_, at) => at * charactersPerToken),
  };
}

function* framesOf(
  request: CompletionsRequest,
  answer: Answer,
  { includeUsage, chunks }: { readonly includeUsage: boolean; readonly chunks: number | undefined },
): Generator<Frame> {
  const head = headOf(request.model);
  const frame = (choice: object): string =>
    JSON.stringify({ ...head, choices: [choice], ...(includeUsage && { usage: null }) });
  for (const { prompt, index } of everyChoice(request)) {
    const words = [...(request.echo ? [prompt] : []), ...piecesOf(answer.text ?? "", chunks)];
    for (const text of words) {
      const logprobs = renderLogprobs(text, request.logprobs);
      yield { data: frame({ text, index, logprobs, finish_reason: null }), content: true };
    }
    yield { data: frame({ text: "", index, logprobs: null, finish_reason: answer.finish }) };
  }
  const usage = includeUsage ? renderUsage(answer) : undefined;
  if (usage !== undefined) yield { data: JSON.stringify({ ...head, choices: [], usage }) };
  yield doneFrame;
}
