import { isRecord } from "@modelgate/wires/json";

/** Members by which a request asks for thoughts, in all text wires and those of other vendors. */
const members = ["reasoning", "reasoning_effort", "thinking", "enable_thinking", "thinking_budget"];
/** Values that ask for none. */
const none: ReadonlySet<unknown> = new Set([undefined, null, false, 0, "none", "disabled"]);

/** Whether a request asks its model to think: thoughts are billed as output, and need not be shown. */
export function asksForThoughts(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const config = body["generationConfig"] ?? body["generation_config"];
  const settings = isRecord(config) ? (config["thinkingConfig"] ?? config["thinking_config"]) : undefined;
  return [...members.map((name) => body[name]), settings].some(asks);
}

function asks(value: unknown): boolean {
  return !none.has(isRecord(value) ? (value["type"] ?? value["effort"] ?? value["thinkingBudget"] ?? true) : value);
}
