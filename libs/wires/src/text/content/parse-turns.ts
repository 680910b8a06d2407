import type { Fields } from "../../json/fields.ts";
import type { Part, TextPart } from "../hub/part.ts";
import type { Turn } from "../hub/request.ts";
import { CallPairs } from "../hub/call-ids.ts";
import { parsePart } from "./parse-parts.ts";

/** Contents of a request, and parts of one content. */
const [mostContents, mostParts] = [20_000, 4_096];

/** The dialogue. A content without a role is the user's. */
export function parseTurns(body: Fields): readonly Turn[] {
  const calls = new CallPairs();
  return body.each("contents", mostContents).map((content, index) => {
    const role = content.word("role", ["user", "model", "function"]) ?? "user";
    const parts = content
      .each("parts", mostParts)
      .map((part, at) => parsePart(part, { calls, path: ["contents", index, at] }));
    return { role: role === "model" ? "assistant" : "user", parts: joinThoughts(parts) };
  });
}

/** Thoughts come in many pieces, as they were streamed, and the last one has the seal of them all. */
function joinThoughts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.kind === "reasoning" && last?.kind === "reasoning" && last.seal === undefined)
      joined[joined.length - 1] = { ...part, text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}

/** `systemInstruction`: a content whose role says nothing, or a bare string. */
export function parseInstructions(body: Fields): readonly TextPart[] {
  const given = body.raw("systemInstruction");
  if (given === undefined) return [];
  if (typeof given === "string") return [{ kind: "text", text: given }];
  const content = body.fields("systemInstruction");
  content?.ignore("role");
  const parts: readonly Fields[] = content?.each("parts", mostParts) ?? [];
  return parts.map((part) => onlyText(part, parsePart(part, { calls: new CallPairs(), path: ["system"] })));
}

function onlyText(fields: Fields, part: Part): TextPart {
  if (part.kind === "text") return part;
  throw fields.wrong("text", "all that a system instruction holds");
}
