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

/** The JSON object that a text begins with, by its braces; undefined where there is none. */
export function jsonAtStart(text: string): string | undefined {
  if (!text.startsWith("{")) return undefined;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (inString && letter === "\\") at++;
    else if (letter === '"') inString = !inString;
    else if (!inString && letter === "{") depth++;
    else if (!inString && letter === "}" && --depth === 0) return text.slice(0, at + 1);
  }
  return undefined;
}

/** Returns a call's arguments as the value that they are JSON of; free text is the member `text`. */
export function argumentsOf(given: string): unknown {
  try {
    return JSON.parse(given || "{}");
  } catch {
    return { text: given };
  }
}
