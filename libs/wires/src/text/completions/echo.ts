import type { AnswerContext } from "../hub/codec.ts";
import type { TextRequest } from "../hub/request.ts";

/** What stands before each choice's own words: the prompt, where the client wants it repeated. */
export function echoOf({ asked }: Pick<AnswerContext, "asked">, { turns }: TextRequest): string {
  if (asked["echo"] !== true) return "";
  return turns.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))).join("");
}
