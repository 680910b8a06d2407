import { textAt } from "../checks/members.ts";

/** Returns the messages with all instructions first, because a directive is read from the last message. */
export function instructionsFirst(messages: readonly unknown[]): readonly unknown[] {
  const isInstruction = (message: unknown): boolean => ["system", "developer"].includes(textAt(message, "role") ?? "");
  return [...messages.filter(isInstruction), ...messages.filter((message) => !isInstruction(message))];
}
