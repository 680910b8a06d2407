import { jsonAtStart } from "./json-at-start.ts";

/** A call that the model makes: `arguments` is JSON, or free text for a custom tool. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

/** The calls that words ask for: `call NAME {json}`, as often as it stands there. */
export function callsIn(words: string): readonly ToolCall[] {
  return Array.from(words.matchAll(/\bcall ([\w.:-]+)[ \t]*/g), (match) => {
    const rest = words.slice(match.index + match[0].length);
    return { name: match[1] ?? "", arguments: jsonAtStart(rest) ?? "" };
  });
}
