import { isRecord, type JsonRecord } from "../json/fields.ts";

/** Members by which a request asks for thoughts, in the wires whose vendors add members of each other's. */
const sharedMembers = ["reasoning", "reasoning_effort", "thinking", "enable_thinking", "thinking_budget"];
/** Values that ask for no thoughts. */
const offValues: ReadonlySet<unknown> = new Set([undefined, null, false, 0, "none", "disabled"]);

/** How requests of the chat, responses and messages wires ask their model to think. */
export const sharedThoughts = {
  words: ["reason", "hink"].map((word) => Buffer.from(word)),
  asked: (body: JsonRecord): boolean => sharedMembers.some((name) => asksToThink(body[name])),
};

/** Whether the value of a member asks for thoughts: an effort, a budget, a switch, or an object with one of them. */
export function asksToThink(value: unknown): boolean {
  const setting = isRecord(value) ? (value["type"] ?? value["effort"] ?? value["thinkingBudget"] ?? true) : value;
  return !offValues.has(setting);
}
