import type { Behaviour } from "../behaviour.ts";
import { numberAt } from "../checks/members.ts";
import { callsIn, type ToolCall } from "./requested-calls.ts";
import { pictureOf, smallPictureOf } from "../pictures/picture.ts";
import { readPromptCache } from "./prompt-cache.ts";
import type { Question } from "./question.ts";
import { valueFor } from "./schema-value.ts";
import { charactersPerToken, tokensOf } from "./tokens.ts";

/** Tokens of a generated picture, the same for all vendors. */
const tokensPerImage = 1_290;

/** Token counts. Input includes cached and cache-written tokens, output includes reasoning. */
export interface Counts {
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Part of the output tokens. */
  readonly imageTokens: number;
}

/** Content of an answer, independent of the wire. */
export interface Answer {
  readonly thoughts?: string | undefined;
  /** True if the reasoning is sent only in encrypted form. */
  readonly redacted: boolean;
  /** Absent if the answer has only tool calls. */
  readonly text?: string | undefined;
  /** True if the text is a refusal of the model. */
  readonly refuses: boolean;
  readonly calls: readonly ToolCall[];
  readonly image?: Buffer | undefined;
  /** `stop`, `length`, `tool_calls`, `content_filter`, or a vendor's value. */
  readonly finish: string;
  /** Stop sequence that ended the text. */
  readonly stopText?: string | undefined;
  readonly counts: Counts;
  /** Usage in the vendor's form, instead of the counts. Null: no usage is sent. */
  readonly usage: undefined | null | Readonly<Record<string, unknown>>;
}

/** Determines the answer to a question. */
export function answerFor(question: Question, behaviour: Behaviour): Answer {
  const calls = callsFor(question, behaviour);
  const whole = calls.length > 0 && behaviour.text === undefined ? undefined : wordsFor(question, behaviour);
  const { text, finish, stopText } = cutText(whole, question);
  const thoughts = thoughtsFor(question, behaviour);
  const image = (behaviour.image ?? question.image) ? pictureFor(question) : undefined;
  return {
    thoughts,
    redacted: behaviour.redactedReasoning === true,
    text,
    refuses: behaviour.refusal === true,
    calls,
    image,
    finish: behaviour.finish ?? finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
    stopText,
    ...usageFor(question, behaviour, image === undefined ? 0 : tokensPerImage, [
      thoughts ?? "",
      text ?? "",
      calls.length > 0 ? JSON.stringify(calls) : "",
    ]),
  };
}

function pictureFor({ words, pictureSize }: Question): Buffer {
  return pictureSize === undefined ? smallPictureOf(words) : pictureOf({ words, ...pictureSize, format: "png" });
}

const maxEchoed = 200;

function thoughtsFor({ reasoning, words }: Question, behaviour: Behaviour): string | undefined {
  const thoughts = behaviour.reasoning ?? (reasoning ? `Thinking about: ${words.slice(0, maxEchoed)}` : "");
  return thoughts === "" ? undefined : thoughts;
}

function callsFor(question: Question, behaviour: Behaviour): readonly ToolCall[] {
  if (behaviour.toolCalls !== undefined)
    return behaviour.toolCalls.map(({ name, arguments: args }) => ({
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    }));
  const { tools, choice, words, results } = question;
  if (tools.length === 0 || choice === "none") return [];
  const known = callsIn(results === undefined ? words : "").flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name);
    return tool === undefined ? [] : [{ name: call.name, arguments: call.arguments || argumentsFor(tool) }];
  });
  const allowed = typeof choice === "object" ? known.filter(({ name }) => name === choice.name) : known;
  if (allowed.length > 0) return question.parallel ? allowed : allowed.slice(0, 1);
  if (choice === "auto") return [];
  const tool = typeof choice === "object" ? tools.find(({ name }) => name === choice.name) : tools[0];
  return tool === undefined ? [] : [{ name: tool.name, arguments: argumentsFor(tool) }];
}

const argumentsFor = (tool: Question["tools"][number]): string =>
  tool.custom === true ? "words" : JSON.stringify(valueFor(tool.schema ?? { type: "object" }));

function wordsFor({ words, results, format }: Question, behaviour: Behaviour): string {
  const { bodyBytes, text } = behaviour;
  if (bodyBytes !== undefined) return "lorem ipsum ".repeat(Math.ceil(bodyBytes / 12)).slice(0, bodyBytes);
  if (text !== undefined) return text;
  if (typeof format === "object") return JSON.stringify(valueFor(format.schema));
  const echoText = results === undefined ? `You said: ${words}` : results.join("\n");
  return format === "json" ? JSON.stringify({ answer: echoText }) : echoText;
}

/** Cuts a text at the first stop sequence or at the maximum number of tokens. */
function cutText(
  text: string | undefined,
  { stops, maxTokens }: Question,
): { readonly text: string | undefined; readonly finish?: string; readonly stopText?: string } {
  if (text === undefined) return { text };
  const [first] = stops
    .map((stop) => ({ stop, at: stop === "" ? -1 : text.indexOf(stop) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  const shownText = first === undefined ? text : text.slice(0, first.at);
  if (maxTokens !== undefined && tokensOf(shownText) > maxTokens)
    return { text: shownText.slice(0, maxTokens * charactersPerToken), finish: "length" };
  return first === undefined ? { text: shownText } : { text: shownText, finish: "stop", stopText: first.stop };
}

const countNames = [
  "inputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "outputTokens",
  "reasoningTokens",
  "imageTokens",
] as const;

function usageFor(
  { promptTokens, choices, prompt }: Question,
  { usage }: Behaviour,
  imageTokens: number,
  [thoughts, ...shownText]: readonly string[],
): Pick<Answer, "counts" | "usage"> {
  const reasoningTokens = tokensOf(thoughts ?? "");
  const textTokens = shownText.reduce((sum, words) => sum + tokensOf(words), 0);
  const counts: Counts = {
    inputTokens: promptTokens,
    ...(prompt === undefined ? { cachedTokens: 0, cacheWriteTokens: 0 } : readPromptCache(prompt)),
    outputTokens: (reasoningTokens + textTokens + imageTokens) * choices,
    reasoningTokens: reasoningTokens * choices,
    imageTokens: imageTokens * choices,
  };
  if (usage === undefined || usage === null) return { counts, usage };
  const known: readonly string[] = countNames;
  if (!Object.keys(usage).every((name) => known.includes(name))) return { counts, usage };
  const entries = countNames.map((name) => [name, numberAt(usage, name) ?? counts[name]] as const);
  return { counts: { ...counts, ...Object.fromEntries(entries) }, usage: undefined };
}
