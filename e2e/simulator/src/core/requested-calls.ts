/** Tool call of the model. `arguments` is JSON, or free text for a custom tool. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

/** Returns the tool calls that a message requests by `call NAME {json}`. */
export function callsIn(words: string): readonly ToolCall[] {
  return Array.from(words.matchAll(/\bcall ([\w.:-]+)[ \t]*/g), (match) => {
    const rest = words.slice(match.index + match[0].length);
    return { name: match[1] ?? "", arguments: jsonAtStart(rest) ?? "" };
  });
}

/** Returns the JSON object at the start of a text, or undefined. */
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

/** Parses arguments. Free text becomes the member `text`. */
export function argumentsOf(json: string): unknown {
  try {
    return JSON.parse(json || "{}");
  } catch {
    return { text: json };
  }
}
