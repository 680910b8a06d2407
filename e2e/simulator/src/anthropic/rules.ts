import { listAt, memberOf, numberAt, textAt } from "../checks/members.ts";
import { Refusal, wrongField } from "../checks/refusal.ts";
import { isOpaqueDataOf } from "../core/opaque-data.ts";
import { requireModelValues, forcesWhileThinking } from "./models.ts";
import { blocksOf, turnsOf, type Turn } from "./turns.ts";

export const thinkingDataKind = "anthropic.thinking";
export const redactedDataKind = "anthropic.redacted";

const maxCacheBreakpoints = 4;

/** Refuses a request whose members have the right types, but which the vendor would refuse. */
export function requireValidRequest(body: unknown): void {
  const turns = turnsOf(body);
  const [first] = turns;
  if (first?.role !== "user") throw wrongField(["messages", 0, "role"], "The first message must be the user's.");
  requireModelValues(body);
  requireValidTools(turns);
  requireSignatures(turns);
  requireValidThinking(body, turns);
  requireValidChoice(body);
  const breakpoints = JSON.stringify(body).match(/"cache_control":\{/g) ?? [];
  if (breakpoints.length > maxCacheBreakpoints)
    throw new Refusal(
      400,
      `There may be ${maxCacheBreakpoints} blocks with cache_control; there are ${breakpoints.length}.`,
    );
  const last = turns.at(-1);
  if (last?.role === "assistant" && /\s$/.test(textAt(last.blocks.at(-1), "text") ?? ""))
    throw wrongField(["messages", last.at], "The beginning of an answer must not end in white space.");
  requireValidFiles(turns);
}

/** Refuses tool results that do not answer the calls of the previous turn, or are not first. */
function requireValidTools(turns: readonly Turn[]): void {
  const ids = new Set<string>();
  for (const [place, turn] of turns.entries()) {
    const uses = blocksOf(turns[place - 1], "tool_use").map((use) => textAt(use, "id") ?? "");
    for (const id of uses) {
      if (ids.has(id)) throw wrongField(["messages", turn.at - 1], `The tool_use id '${id}' appears more than once.`);
      ids.add(id);
    }
    requireResults(turn, new Set(uses));
  }
  const last = turns.at(-1);
  if (blocksOf(last, "tool_use").length > 0)
    throw wrongField(["messages", last?.at ?? 0], "The tool_use blocks have no tool_result after them.");
}

function requireResults(turn: Turn, open: Set<string>): void {
  let began = false;
  for (const [at, block] of turn.blocks.entries()) {
    const isResult = textAt(block, "type") === "tool_result";
    const path = ["messages", turn.at, "content", at];
    if (isResult && !open.delete(textAt(block, "tool_use_id") ?? ""))
      throw wrongField(path, "A tool_result needs its tool_use in the message before.");
    if (isResult && began) throw wrongField(path, "Tool results must come before everything else in their message.");
    if (!isResult) began = true;
  }
  if (open.size > 0)
    throw wrongField(["messages", turn.at], `These tool_use ids have no tool_result: ${[...open].join(", ")}.`);
}

function requireSignatures(turns: readonly Turn[]): void {
  for (const turn of turns)
    for (const [at, block] of turn.blocks.entries()) {
      const path = ["messages", turn.at, "content", at];
      const type = textAt(block, "type");
      const [thought, signature] = [textAt(block, "thinking") ?? "", textAt(block, "signature") ?? ""];
      // A bound signature continues after a dot.
      const [data = ""] = signature.split(".");
      if (type === "thinking" && !isOpaqueDataOf(thinkingDataKind, data, thought))
        throw wrongField([...path, "signature"], "This is not the signature of this thinking block.");
      if (type === "redacted_thinking" && !isOpaqueDataOf(redactedDataKind, textAt(block, "data") ?? ""))
        throw wrongField([...path, "data"], "This data was not made here.");
    }
}

function requireValidThinking(body: unknown, turns: readonly Turn[]): void {
  const thinking = memberOf(body, "thinking");
  const type = textAt(thinking, "type");
  if (type !== "enabled" && type !== "adaptive") return;
  const maxTokens = numberAt(body, "max_tokens");
  if (maxTokens !== undefined && (numberAt(thinking, "budget_tokens") ?? 0) >= maxTokens)
    throw wrongField(["thinking", "budget_tokens"], "The budget must be less than max_tokens.");
  if ((numberAt(body, "temperature") ?? 1) !== 1)
    throw wrongField(["temperature"], "With thinking, the temperature may only be 1.");
  if (numberAt(body, "top_k") !== undefined) throw wrongField(["top_k"], "With thinking, top_k is not taken.");
  if ((numberAt(body, "top_p") ?? 1) < 0.95) throw wrongField(["top_p"], "With thinking, top_p is 0.95 at least.");
  const choice = textAt(memberOf(body, "tool_choice"), "type");
  if ((choice === "any" || choice === "tool") && !forcesWhileThinking(textAt(body, "model") ?? ""))
    throw wrongField(["tool_choice"], "With thinking, no tool call can be forced.");
  requireReasoningFirst(type, turns);
}

/** Refuses messages that end with the beginning of an answer, or with tool calls without their reasoning. */
function requireReasoningFirst(type: string, turns: readonly Turn[]): void {
  const last = turns.at(-1);
  if (last?.role === "assistant")
    throw wrongField(["messages", last.at], "With thinking, the beginning of an answer cannot be given.");
  const before = turns.at(-2);
  const began = textAt(before?.blocks[0], "type");
  const isRound = blocksOf(before, "tool_use").length > 0;
  if (type === "enabled" && isRound && began !== "thinking" && began !== "redacted_thinking")
    throw wrongField(
      ["messages", before?.at ?? 0, "content", 0, "type"],
      "With thinking, an assistant message that calls tools must begin with a thinking block.",
    );
}

function requireValidChoice(body: unknown): void {
  const names = listAt(body, "tools").map((tool) => textAt(tool, "name"));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw wrongField(["tools"], `Tool names must be unique; '${twice}' appears more than once.`);
  const choice = memberOf(body, "tool_choice");
  if (choice === undefined) return;
  if (names.length === 0) throw wrongField(["tool_choice"], "A tool_choice is only taken together with tools.");
  const chosenTool = textAt(choice, "name");
  if (chosenTool !== undefined && !names.includes(chosenTool))
    throw wrongField(["tool_choice", "name"], `There is no tool '${chosenTool}'.`);
}

function requireValidFiles(turns: readonly Turn[]): void {
  for (const turn of turns)
    for (const block of turn.blocks) {
      const file = textAt(memberOf(block, "source"), "file_id");
      if (file !== undefined) throw new Refusal(404, `There is no file '${file}'.`);
    }
}
