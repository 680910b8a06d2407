import { cleanWords } from "./clean.ts";
import { readErrorBody } from "./error-body.ts";

/** Longest line that is made of what a vendor said. */
const mostSaid = 300;

/**
 * What a vendor said, for an operator, in one line: the message of an error body, else the body. Amazon writes below what it
 * would have signed: only the first line is taken of a message.
 */
export function saidInOneLine(body: string): string {
  const { message } = readErrorBody(body);
  const [first = ""] = message === undefined ? [body] : message.trim().split(/[\r\n]/);
  return cleanWords(first.replaceAll(/\s+/g, " ").trim()).slice(0, mostSaid);
}
