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
