import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { PictureSize } from "../pictures/picture.ts";
import type { Prompt } from "./prompt-cache.ts";
import { tokensOf } from "./tokens.ts";

/** Tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of its arguments, if given. */
  readonly schema?: unknown;
  /** True if it takes free text instead of JSON. */
  readonly custom?: boolean;
  /** Name of the set of tools that contains it. */
  readonly namespace?: string;
}

/** Content of a request, independent of the wire. */
export interface Question {
  readonly model: string;
  /** Text of the last message, without its directive; pictures and files by kind and size. */
  readonly words: string;
  /** Number of input tokens, including cached ones. */
  readonly promptTokens: number;
  /** Behaviour that the last message's directive requests. */
  readonly directive: Behaviour | undefined;
  readonly tools: readonly OfferedTool[];
  /** Tool choice. `required` demands any call; an object demands a call of that tool. */
  readonly choice: "auto" | "none" | "required" | { readonly name: string };
  readonly parallel: boolean;
  /** Texts of the tool results with which the request ends; undefined if it does not end with results. */
  readonly results: readonly string[] | undefined;
  /** True if reasoning is requested. */
  readonly reasoning: boolean;
  /** Requested JSON format: any JSON, or JSON that matches a schema. */
  readonly format: undefined | "json" | { readonly schema: unknown };
  readonly maxTokens: number | undefined;
  readonly stops: readonly string[];
  /** Number of requested answers. */
  readonly choices: number;
  /** True if a picture is requested. */
  readonly image: boolean;
  /** Size of the requested picture; absent: a small one. */
  readonly pictureSize?: PictureSize | undefined;
  /** Prompt to look up in the vendor's cache; absent if the vendor has none, or if the cache is not simulated. */
  readonly prompt?: Prompt | undefined;
}

type QuestionOptions = Partial<Omit<Question, "model" | "words" | "promptTokens" | "directive">>;

/**
 * Creates a question from the messages of a request.
 *
 * @param said texts of all messages, the system's first and the last message's last
 *
 * @throws Refusal for an invalid directive
 */
export function questionFrom(model: string, said: readonly string[], wished: QuestionOptions = {}): Question {
  const last = said.at(-1) ?? "";
  const found = directiveIn(last);
  if (found !== undefined && "wrong" in found) throw new Refusal(400, `simulate: ${found.wrong}`);
  return {
    model,
    words: withoutDirective(last),
    promptTokens: tokensOf(said.join("")),
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
    ...wished,
  };
}
