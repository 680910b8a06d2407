import { listAt, memberOf, textAt } from "../checks/members.ts";

/** What one side said in one go: neighbouring messages of one role are one turn. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly unknown[];
  /** Where its first message stands. */
  readonly at: number;
}

/** The turns of user and assistant; a text alone is a text block. System messages between them are no turns. */
export function turnsOf(body: unknown): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [at, message] of listAt(body, "messages").entries()) {
    const role = textAt(message, "role") ?? "";
    if (role === "system") continue;
    const content = memberOf(message, "content");
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listAt(message, "content");
    const last = turns.at(-1);
    if (last?.role === role) turns.splice(-1, 1, { ...last, blocks: [...last.blocks, ...blocks] });
    else turns.push({ role, blocks, at });
  }
  return turns;
}

/** The blocks of a type. */
export function blocksOf(turn: Turn | undefined, type: string): readonly unknown[] {
  return (turn?.blocks ?? []).filter((block) => textAt(block, "type") === type);
}
