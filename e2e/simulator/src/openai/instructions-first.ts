import { textAt } from "../checks/members.ts";

/** Sorts messages, so that the last one is never an instruction. */
export function instructionsFirst(messages: readonly unknown[]): readonly unknown[] {
  const isInstruction = (message: unknown): boolean => ["system", "developer"].includes(textAt(message, "role") ?? "");
  return [...messages.filter(isInstruction), ...messages.filter((message) => !isInstruction(message))];
}
