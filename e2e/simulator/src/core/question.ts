import { directiveIn, withoutDirective, type Behaviour } from "../behaviour.ts";
import { Refusal } from "../checks/refusal.ts";
import type { PictureSize } from "../pictures/picture.ts";
import { tokensOf } from "./tokens.ts";

/** A tool that a request offers. */
export interface OfferedTool {
  readonly name: string;
  /** JSON Schema of its arguments; absent: none given. */
  readonly schema?: unknown;
  /** It takes free text instead of JSON. */
  readonly custom?: boolean;
  /** The set of tools that it stands in. */
  readonly namespace?: string;
}

/** What a request asks for, whatever wire it came on. */
export interface Question {
  readonly model: string;
  /** What was said last, without its directive; pictures and files by kind and size. */
  readonly words: string;
  /** Input tokens, all of them: cached ones are among them. */
  readonly promptTokens: number;
  /** What the last message's directive asks for. */
  readonly directive: Behaviour | undefined;
  readonly tools: readonly OfferedTool[];
  /** `required`: some call; a name: that one. */
  readonly choice: "auto" | "none" | "required" | { readonly name: string };
  readonly parallel: boolean;
  /** The texts of tool results, where the request ends in them. */
  readonly results: readonly string[] | undefined;
  /** Whether thoughts were asked for. */
  readonly reasoning: boolean;
  /** JSON is wanted: any, or what fits a schema. */
  readonly format: undefined | "json" | { readonly schema: unknown };
  readonly maxTokens: number | undefined;
  readonly stops: readonly string[];
  /** How many answers. */
  readonly choices: number;
  /** Whether a picture was asked for. */
  readonly image: boolean;
  /** Its size; absent: a small one. */
  readonly pictureSize?: PictureSize | undefined;
}

type Wished = Partial<Omit<Question, "model" | "words" | "promptTokens" | "directive">>;

/**
 * A question from what was said.
 * @param said the words of every message, the system's first, the last one last
 * @throws Refusal for a directive that cannot be followed
 */
export function questionFrom(model: string, said: readonly string[], wished: Wished = {}): Question {
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
