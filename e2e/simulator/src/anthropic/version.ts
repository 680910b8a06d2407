import { listAt, memberOf, textAt } from "../checks/members.ts";
import { wrongField } from "../checks/refusal.ts";

const strictVersion = "2026-10-21";

const sampling = ["temperature", "top_p", "top_k"] as const;

/**
 * Refuses what API versions from 2026-10-21 on refuse, such as sampling parameters and documents in the model's turns.
 */
export function requireVersion(body: unknown, version: string): void {
  if (version < strictVersion) return;
  for (const name of sampling)
    if (memberOf(body, name) !== undefined) throw wrongField([name], "Extra inputs are not permitted");
  for (const [at, message] of listAt(body, "messages").entries()) {
    const isUser = textAt(message, "role") === "user";
    for (const [place, block] of listAt(message, "content").entries()) {
      const path = ["messages", at, "content", place];
      if (!isUser && textAt(block, "type") === "document")
        throw wrongField(path, "`document` blocks are not permitted in assistant messages");
      const texts = textAt(block, "type") === "search_result" ? listAt(block, "content") : [block];
      if (isUser && texts.some(hasCitations))
        throw wrongField([...path, "citations"], "Extra inputs are not permitted");
    }
  }
}

function hasCitations(block: unknown): boolean {
  return textAt(block, "type") === "text" && listAt(block, "citations").length > 0;
}
