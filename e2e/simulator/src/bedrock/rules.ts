import { listAt, memberOf, textAt } from "../checks/members.ts";
import { Refusal, wrongField } from "../checks/refusal.ts";
import { isOpaqueDataOf } from "../core/opaque-data.ts";

export const thinkingDataKind = "bedrock.thinking";
export const redactedDataKind = "bedrock.redacted";

/** Returns this member of each block that has it. */
export function blockMembers(message: unknown, name: string): readonly unknown[] {
  return listAt(message, "content").flatMap((block) => {
    const found = memberOf(block, name);
    return found === undefined ? [] : [found];
  });
}

/** Refuses a request whose members have the right types, but which the vendor would refuse. */
export function requireValidRequest(body: unknown): void {
  const messages = listAt(body, "messages");
  if (textAt(messages[0], "role") !== "user")
    throw new Refusal(
      400,
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    );
  for (const [at, message] of messages.entries()) {
    requireResults(messages[at - 1], message, at);
    requireSignatures(message, at);
    requireValidDocuments(message, at);
  }
  const uses = messages.some((message) => blockMembers(message, "toolUse").length > 0);
  if (blockMembers(messages.at(-1), "toolUse").length > 0)
    throw new Refusal(400, "Expected toolResult blocks after the toolUse blocks of the last message.");
  if (uses && memberOf(body, "toolConfig") === undefined)
    throw new Refusal(400, "The toolConfig field must be defined when using toolUse and toolResult content blocks.");
  requireValidNames(messages);
}

function requireResults(before: unknown, message: unknown, at: number): void {
  const uses = blockMembers(before, "toolUse").map((use) => textAt(use, "toolUseId"));
  const results = blockMembers(message, "toolResult").map((result) => textAt(result, "toolUseId"));
  if (uses.some((id) => !results.includes(id)))
    throw new Refusal(
      400,
      `Expected toolResult blocks at messages.${at}.content for the following Ids: ${uses.join(", ")}`,
    );
  if (results.some((id) => !uses.includes(id)))
    throw new Refusal(
      400,
      `The number of toolResult blocks at messages.${at}.content exceeds the number of toolUse blocks of previous turn.`,
    );
}

function requireSignatures(message: unknown, at: number): void {
  for (const thought of blockMembers(message, "reasoningContent")) {
    const path = ["messages", at, "content"];
    const text = memberOf(thought, "reasoningText");
    const redacted = textAt(thought, "redactedContent");
    if (
      text !== undefined &&
      !isOpaqueDataOf(thinkingDataKind, textAt(text, "signature") ?? "", textAt(text, "text") ?? "")
    )
      throw wrongField(path, "Invalid `signature` in `thinking` block.");
    if (redacted !== undefined && !isOpaqueDataOf(redactedDataKind, redacted))
      throw wrongField(path, "Invalid `data` in `redacted_thinking` block.");
  }
}

function requireValidDocuments(message: unknown, at: number): void {
  if (blockMembers(message, "document").length > 0 && blockMembers(message, "text").length === 0)
    throw wrongField(["messages", at, "content"], "A text block must be included when using documents.");
}

function requireValidNames(messages: readonly unknown[]): void {
  const names = messages.flatMap((message) => blockMembers(message, "document").map((each) => textAt(each, "name")));
  if (new Set(names).size < names.length)
    throw new Refusal(400, "Messages contain duplicate document names. Use distinct names.");
}
