import { Failure } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";
import type { Part, TextPart } from "../hub/part.ts";
import type { Turn } from "../hub/request.ts";
import { parseContent } from "./parse-parts.ts";

/** Messages that one request may have. */
const mostMessages = 20_000;

/** The dialogue, and what is said before it. */
export interface ParsedTurns {
  readonly instructions: readonly TextPart[];
  readonly turns: readonly Turn[];
}

/** `system` and `messages`. A system message before the dialogue is an instruction too. */
export function parseTurns(body: Fields): ParsedTurns {
  if (!body.has("messages"))
    throw new Failure("missing_required_parameter", "Missing required parameter: messages.", { param: "messages" });
  const names = new Map<string, string>();
  const instructions = [...onlyText(body, "system", parseContent(body, "system", names))];
  const turns: Turn[] = [];
  for (const message of body.each("messages", mostMessages)) {
    const role = message.word("role", ["user", "assistant", "system"]) ?? message.needText("role");
    const parts = parseContent(message, "content", names);
    if (role === "user" || role === "assistant") turns.push({ role, parts });
    else if (turns.length === 0) instructions.push(...onlyText(message, "content", parts));
    else turns.push({ role: "system", parts: onlyText(message, "content", parts) });
  }
  return { instructions, turns };
}

function onlyText(of: Fields, name: string, parts: readonly Part[]): readonly TextPart[] {
  return parts.map((part) => {
    if (part.kind === "text") return part;
    throw of.wrong(name, "text only");
  });
}
