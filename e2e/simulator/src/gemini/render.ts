import type { Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { Answer } from "../core/answer.ts";
import { argumentsOf } from "../core/requested-calls.ts";
import { freshId } from "../core/ids.ts";
import { makeOpaqueData } from "../core/opaque-data.ts";
import { piecesOf, tokenTexts } from "../core/tokens.ts";
import type { Frame, Streamed } from "../stream.ts";
import { errorOf } from "./errors.ts";
import { signsCalls } from "./models.ts";
import type { GenerateRequest } from "./read.ts";
import { thoughtDataKind } from "./rules.ts";

interface Shown {
  readonly thoughts: string | undefined;
  readonly text: string | undefined;
  /** Picture, then tool calls. */
  readonly rest: readonly object[];
  /** Signature of the reasoning, sent after the text. */
  readonly signature: string | undefined;
}

function partsOf({ question, showThoughts, imageOnly }: GenerateRequest, answer: Answer, behaviour: Behaviour): Shown {
  const { thoughts, calls, image } = answer;
  const signs = signsCalls(question.model);
  const picture = image && {
    inlineData: { mimeType: "image/png", data: image.toString("base64") },
    ...(signs && { thoughtSignature: makeOpaqueData(thoughtDataKind, "picture") }),
  };
  const called = calls.map((call, at) => ({
    functionCall: { ...(signs && { id: freshId("fc-") }), name: call.name, args: argumentsOf(call.arguments) },
    ...(at === 0 && { thoughtSignature: makeOpaqueData(thoughtDataKind, call.name) }),
  }));
  return {
    thoughts: showThoughts || behaviour.reasoning !== undefined ? thoughts : undefined,
    text: imageOnly ? undefined : answer.text,
    rest: picture === undefined ? called : [picture, ...called],
    signature: thoughts !== undefined && calls.length === 0 ? makeOpaqueData(thoughtDataKind, "words") : undefined,
  };
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
};

/** Finish reason of a blocked prompt, which gets no answer. */
const blockedFinish = "blocked";

/** Returns the members of every piece of an answer. */
function headOf(model: string): object {
  return { modelVersion: `${model}-001`, responseId: freshId("resp-") };
}

/** Renders a complete answer. */
export function renderGenerated(request: GenerateRequest, answer: Answer, behaviour: Behaviour): object {
  const usageMetadata = renderUsage(answer);
  const tail = { ...(usageMetadata && { usageMetadata }), ...headOf(request.question.model) };
  if (answer.finish === blockedFinish) return { promptFeedback: { blockReason: "SAFETY", safetyRatings: [] }, ...tail };
  const { thoughts, text, rest, signature } = partsOf(request, answer, behaviour);
  const parts = [
    ...(thoughts === undefined ? [] : [{ text: thoughts, thought: true }]),
    ...(text === undefined || text === "" ? [] : [{ text, ...(signature && { thoughtSignature: signature }) }]),
    ...rest,
  ];
  return {
    candidates: Array.from({ length: request.question.choices }, (_, index) => ({
      index,
      content: { role: "model", ...(parts.length > 0 && { parts }) },
      finishReason: finishReasons[answer.finish] ?? answer.finish,
      safetyRatings: [],
      ...probabilitiesOf(text, request.topLogprobs),
    })),
    ...tail,
  };
}

const tokenLogprob = -0.125;

function probabilitiesOf(text: string | undefined, top: number | undefined): object {
  if (top === undefined || text === undefined) return {};
  const entry = (token: string, tokenId: number) => ({ token, tokenId, logProbability: tokenLogprob });
  return {
    avgLogprobs: tokenLogprob,
    logprobsResult: {
      chosenCandidates: tokenTexts(text).map(entry),
      topCandidates: tokenTexts(text).map((token) => ({
        candidates: Array.from({ length: top }, (_, at) => entry(at === 0 ? token : `other${at}`, at)),
      })),
    },
  };
}

/** Renders a streamed answer. The last piece has the finish reason and the usage. */
export function streamGenerated(
  request: GenerateRequest,
  answer: Answer,
  behaviour: Behaviour,
  framing: "crlf" | "array",
): Streamed {
  const error = (message: string): Frame => ({ data: JSON.stringify(errorOf(new Refusal(503, message))) });
  const usageMetadata = renderUsage(answer);
  const tail = { ...(usageMetadata && { usageMetadata }), ...headOf(request.question.model) };
  const refused = { data: JSON.stringify({ promptFeedback: { blockReason: "SAFETY" }, ...tail }), last: true };
  const frames = answer.finish === blockedFinish ? [refused] : piecesFrom(request, answer, behaviour, tail);
  return { frames, error, framing };
}

/** Yields the pieces of an answer. `tail` contains further members of the last piece, such as the usage. */
function* piecesFrom(request: GenerateRequest, answer: Answer, behaviour: Behaviour, tail: object): Generator<Frame> {
  const { inputTokens } = answer.counts;
  const early = { promptTokenCount: inputTokens, totalTokenCount: inputTokens };
  const begun = { ...tail, ...("usageMetadata" in tail && { usageMetadata: early }) };
  const every = Array.from({ length: request.question.choices }, (_, index) => index);
  const piece = (part: object): string =>
    JSON.stringify({
      candidates: every.map((index) => ({ index, content: { role: "model", parts: [part] } })),
      ...begun,
    });
  const { thoughts, text, rest, signature } = partsOf(request, answer, behaviour);
  for (const words of thoughts === undefined ? [] : piecesOf(thoughts))
    yield { data: piece({ text: words, thought: true }), content: true };
  for (const words of text === undefined ? [] : piecesOf(text, behaviour.chunks))
    yield { data: piece({ text: words }), content: true };
  for (const part of rest) yield { data: piece(part), content: true };
  const parts = [{ text: "", ...(signature && { thoughtSignature: signature }) }];
  const finishReason = finishReasons[answer.finish] ?? answer.finish;
  const ended = every.map((index) => ({ index, content: { role: "model", parts }, finishReason }));
  yield { data: JSON.stringify({ candidates: ended, ...tail }), last: true };
}

/** Returns the usage; undefined if none is reported. In this wire, the candidates' tokens exclude reasoning. */
function renderUsage({ counts, usage }: Answer): object | undefined {
  if (usage === null) return undefined;
  if (usage !== undefined) return usage;
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens, imageTokens } = counts;
  const visibleTokens = Math.max(0, outputTokens - reasoningTokens);
  const textCount = { modality: "TEXT", tokenCount: visibleTokens - imageTokens };
  return {
    promptTokenCount: inputTokens,
    ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
    candidatesTokenCount: visibleTokens,
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: inputTokens + outputTokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: inputTokens }],
    candidatesTokensDetails: [textCount, ...(imageTokens > 0 ? [{ modality: "IMAGE", tokenCount: imageTokens }] : [])],
  };
}
