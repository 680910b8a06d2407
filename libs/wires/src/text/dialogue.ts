import { asRecords, memberOf, hasAny, isRecord, type JsonRecord, splitWords } from "@modelgate/formats/json";

/** Values of a request that identify its conversation. Later requests of the conversation have the same values. */
export interface Dialogue {
  /** Client's name of the conversation. */
  readonly name?: string | undefined;
  readonly user: unknown;
  readonly instructions: unknown;
  /** Turns before the model's first answer. */
  readonly opening: readonly JsonRecord[];
  readonly isAnswered: boolean;
  /** First answer of the model, without reasoning, which some clients do not send back. */
  readonly answer?: JsonRecord | undefined;
}

/** Members of turns that differ between requests of one conversation. */
export const unstableMembers: ReadonlySet<string> = new Set(
  splitWords(`
    cache_control data encrypted_content id reasoning reasoning_content reasoning_details role signature status
    summary thinking thought thoughtSignature type
  `),
);

/** Reads the conversation of a request. */
export function identifyDialogue(
  body: JsonRecord,
  conversation: { readonly instructions?: unknown; readonly turns: unknown },
  isAnswer: (turn: JsonRecord) => boolean,
): Dialogue {
  const turns = asRecords(conversation.turns);
  const index = turns.findIndex(isAnswer);
  const { prompt_cache_key: name, metadata } = body;
  return {
    name: typeof name === "string" && name !== "" ? name : undefined,
    user: body["user"] ?? body["safety_identifier"] ?? memberOf(metadata, "user_id"),
    instructions: conversation.instructions,
    opening: index < 0 ? turns : turns.slice(0, index),
    isAnswered: index >= 0,
    answer: index < 0 ? undefined : turns.slice(index).find((turn) => isAnswer(turn) && turn["type"] !== "reasoning"),
  };
}

/** Members that request reasoning, on the chat, responses and messages wires. */
export const reasoningMembers: readonly string[] = [
  "reasoning",
  "reasoning_effort",
  "thinking",
  "enable_thinking",
  "thinking_budget",
];

const offValues: ReadonlySet<unknown> = new Set([undefined, null, false, 0, "none", "disabled"]);

/** Returns true if a request of the chat, responses or messages wire asks for reasoning. */
export function requestsReasoning(body: JsonRecord): boolean {
  return hasAny(body, reasoningMembers) && reasoningMembers.some((name) => isReasoningRequested(body[name]));
}

/** Returns true for an effort, a budget, true, or an object with one of them. */
export function isReasoningRequested(value: unknown): boolean {
  const setting = isRecord(value) ? (value["type"] ?? value["effort"] ?? value["thinkingBudget"] ?? true) : value;
  return !offValues.has(setting);
}

export function identifyMessagesDialogue({ system, messages, ...body }: JsonRecord): Dialogue {
  const instructions = Array.isArray(system) ? asRecords(system).filter(({ text }) => !isBillingLine(text)) : system;
  return identifyDialogue(body, { instructions, turns: messages }, ({ role }) => role === "assistant");
}

export const billingPrefix = "x-anthropic-billing-header:";

/** Returns true for the text that Claude Code puts before its instructions. It may differ in each request. */
export function isBillingLine(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(billingPrefix);
}
