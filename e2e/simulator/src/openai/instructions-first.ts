import { textAt } from "../checks/members.ts";

/** Messages with the instructions among them first: what was said last is never one of those. */
export function instructionsFirst(messages: readonly unknown[]): readonly unknown[] {
  const isInstruction = (message: unknown): boolean => ["system", "developer"].includes(textAt(message, "role") ?? "");
  return [...messages.filter(isInstruction), ...messages.filter((message) => !isInstruction(message))];
}
