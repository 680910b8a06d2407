import { listAt, memberOf, textAt } from "../checks/members.ts";

/** Consecutive messages of one role. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly unknown[];
  /** Index of the first message. */
  readonly at: number;
}

/** Returns the turns of user and assistant, without system messages. */
export function turnsOf(body: unknown): readonly Turn[] {
  const turns: Turn[] = [];
  for (const [at, message] of listAt(body, "messages").entries()) {
    const role = textAt(message, "role") ?? "";
    if (role === "system") continue;
    const blocks = blocksIn(message);
    const last = turns.at(-1);
    if (last?.role === role) turns.splice(-1, 1, { ...last, blocks: [...last.blocks, ...blocks] });
    else turns.push({ role, blocks, at });
  }
  return turns;
}

/** Returns the blocks of a message. A string becomes a text block. */
export function blocksIn(message: unknown): readonly unknown[] {
  const content = memberOf(message, "content");
  return typeof content === "string" ? [{ type: "text", text: content }] : listAt(message, "content");
}

export function blocksOf(turn: Turn | undefined, type: string): readonly unknown[] {
  return (turn?.blocks ?? []).filter((block) => textAt(block, "type") === type);
}
