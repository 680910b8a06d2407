import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { PictureSize } from "../pictures/picture.ts";
import type { Prompt } from "./prompt-cache.ts";
import { tokensOf } from "./tokens.ts";

/** Tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  readonly schema?: unknown;
  /** True if its argument is free text instead of JSON. */
  readonly custom?: boolean;
  /** Namespace that contains the tool. */
  readonly namespace?: string;
}

/** Content of a request, independent of the wire. */
export interface Question {
  readonly model: string;
  /** Text of the last message, without its directive. Pictures and files are described. */
  readonly words: string;
  /** Number of tokens in the prompt, including cached ones. */
  readonly promptTokens: number;
  /** Behaviour that the last message requests. */
  readonly directive: Behaviour | undefined;
  readonly tools: readonly OfferedTool[];
  /** With `required`, the answer must call a tool. With an object, it must call the named tool. */
  readonly choice: "auto" | "none" | "required" | { readonly name: string };
  readonly parallel: boolean;
  /** Texts of the tool results at the end of the request. Undefined if the request does not end with tool results. */
  readonly results: readonly string[] | undefined;
  /** True if reasoning is requested. */
  readonly reasoning: boolean;
  /** Any JSON, or JSON that matches a schema. */
  readonly format: undefined | "json" | { readonly schema: unknown };
  readonly maxTokens: number | undefined;
  readonly stops: readonly string[];
  readonly choices: number;
  readonly image: boolean;
  readonly pictureSize?: PictureSize | undefined;
  /** Prompt to look up in the vendor's cache. Absent if there is no simulated cache. */
  readonly prompt?: Prompt | undefined;
}

type QuestionOptions = Partial<Omit<Question, "model" | "words" | "promptTokens" | "directive">>;

/** Creates a question from the texts of all messages, the system's first. Throws a Refusal for an invalid directive. */
export function questionFrom(model: string, texts: readonly string[], more: QuestionOptions = {}): Question {
  const last = texts.at(-1) ?? "";
  const found = directiveIn(last);
  if (found !== undefined && "wrong" in found) throw new Refusal(400, `simulate: ${found.wrong}`);
  return {
    model,
    words: withoutDirective(last),
    promptTokens: tokensOf(texts.join("")),
    directive: found?.behaviour,
    tools: [],
    choice: "auto",
    parallel: true,
    results: undefined,
    reasoning: false,
    format: undefined,
    maxTokens: undefined,
    stops: [],
    choices: 1,
    image: false,
    ...more,
  };
}
