import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";

/** What the simulated vendor reads out of a chat request. */
export interface ChatAsked {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly words: string;
  readonly promptTokens: number;
  readonly directive: Behaviour | undefined;
  /** What is wrong with the request, in the vendor's words. */
  readonly wrong?: string | undefined;
}

/** The stated rule of this vendor: a token is four characters, rounded up. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Reads a chat request as far as answering needs it. */
export function readChat(body: unknown): ChatAsked {
  const model = textAt(body, "model") ?? "";
  const messages = memberOf(body, "messages");
  const contents: readonly unknown[] = Array.isArray(messages)
    ? messages.map((message) => memberOf(message, "content"))
    : [];
  const all = contents.map(wordsOf);
  const last = all.at(-1) ?? "";
  const found = directiveIn(last);
  const wrong =
    model === ""
      ? "you must provide a model parameter"
      : contents.length === 0
        ? "messages must not be empty"
        : undefined;
  return {
    model,
    stream: memberOf(body, "stream") === true,
    includeUsage: memberOf(memberOf(body, "stream_options"), "include_usage") === true,
    words: withoutDirective(last),
    promptTokens: tokensOf(all.join("")),
    directive: found !== undefined && "behaviour" in found ? found.behaviour : undefined,
    wrong: wrong ?? (found !== undefined && "wrong" in found ? `simulate: ${found.wrong}` : undefined),
  };
}

/** A message's words; images and files show up by name and size, so that a test sees that they arrived. */
function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => {
      const file = memberOf(part, "file");
      if (file !== undefined)
        return `[file ${textAt(file, "filename") ?? "?"} ${(textAt(file, "file_data") ?? "").length} characters]`;
      const image = memberOf(part, "image_url");
      if (image !== undefined) return `[image ${(textAt(image, "url") ?? "").length} characters]`;
      return textAt(part, "text") ?? "";
    })
    .join("");
}

/** The words of an answer: what was asked for, or an echo. */
export function answerText({ words }: ChatAsked, { text, bodyBytes }: Behaviour): string {
  if (bodyBytes !== undefined) return "lorem ipsum ".repeat(Math.ceil(bodyBytes / 12)).slice(0, bodyBytes);
  return text ?? `You said: ${words}`;
}

/** The usage object of an answer; undefined where the vendor is to report none. */
export function usageOf(asked: ChatAsked, behaviour: Behaviour, completionTokens: number): object | undefined {
  if (behaviour.usage === null) return undefined;
  if (behaviour.usage !== undefined) return behaviour.usage;
  return {
    prompt_tokens: asked.promptTokens,
    completion_tokens: completionTokens,
    total_tokens: asked.promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function textAt(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : undefined;
}
