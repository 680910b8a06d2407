import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import { unsupportedFailure, type Unsupported, type TextRequest, type Turn } from "../hub/request.ts";
import type { Part, ReasoningPart, ToolResultPart } from "../hub/part.ts";
import { pairedTurns } from "../hub/paired-turns.ts";
import { isBreakpoint } from "../hub/prompt-cache.ts";
import { requireItemOfWire, refuseCompaction } from "../hub/render.ts";
import { ownSignature } from "../hub/signatures.ts";
import { localNames, type LocalName } from "./tools.ts";
import { callItem, compactionItem, imageItem, messageItem, reasoningItem, inputPart } from "./render-items.ts";

export function renderTurns(
  { instructions, turns, tools }: TextRequest,
  unsupported: Unsupported,
): readonly JsonRecord[] {
  const systems = instructions.map((part) => renderMessage("developer", [part], unsupported));
  const names = localNames(tools);
  return [...systems, ...pairedTurns(turns).flatMap((turn, index) => renderTurn(turn, index, names, unsupported))];
}

type LocalNames = ReadonlyMap<string, LocalName>;

function renderTurn(
  { role, parts }: Turn,
  turn: number,
  names: LocalNames,
  unsupported: Unsupported,
): readonly JsonRecord[] {
  if (role === "system") return [renderMessage(role, parts, unsupported)];
  const runs = runsOf(parts);
  return role === "user"
    ? runs.flatMap((run) => renderUserRun(run, unsupported))
    : runs.flatMap((run, index) => renderModelRun(run, `${turn}_${index}`, names, unsupported));
}

/** Groups adjacent parts that form one item. */
function runsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const runs: Part[][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    const before = last?.at(-1);
    if (last !== undefined && before !== undefined && areOneItem(before, part)) last.push(part);
    else runs.push([part]);
  }
  return runs;
}

const messageParts: ReadonlySet<Part["kind"]> = new Set(["text", "refusal", "image", "file", "audio", "video"]);

function areOneItem(before: Part, part: Part): boolean {
  if (before.kind === "reasoning" && part.kind === "reasoning")
    return part.id !== undefined && before.id === part.id && before.signature === undefined;
  return messageParts.has(before.kind) && messageParts.has(part.kind);
}

function renderMessage(role: string, parts: readonly Part[], unsupported: Unsupported): JsonRecord {
  return { type: "message", role, content: parts.map((part) => inputPart(part, unsupported)) };
}

function renderUserRun(run: readonly Part[], unsupported: Unsupported): readonly JsonRecord[] {
  const [first] = run;
  if (first?.kind === "tool-result") return [renderResult(first, unsupported)];
  if (first?.kind === "vendor") return [withoutUndefined(requireItemOfWire(first, "responses"))];
  return [renderMessage("user", run, unsupported)];
}

function renderResult(part: ToolResultPart, unsupported: Unsupported): JsonRecord {
  unsupported.noteIf("tool-result.is-error", part.isError);
  unsupported.noteIf("tool-result.cache", part.cache);
  const [only] = part.parts;
  const plain = part.parts.length === 1 && only?.kind === "text" && !isBreakpoint(only) ? only.text : undefined;
  return {
    type: part.custom === true ? "custom_tool_call_output" : "function_call_output",
    call_id: part.callId,
    output: plain ?? part.parts.map((each) => inputPart(each, unsupported)),
  };
}

function renderModelRun(
  run: readonly Part[],
  path: string,
  names: LocalNames,
  unsupported: Unsupported,
): readonly JsonRecord[] {
  const [first] = run;
  if (first === undefined) return [];
  if (first.kind === "reasoning")
    return renderReasoning(
      run.filter((part) => part.kind === "reasoning"),
      unsupported,
    );
  if (first.kind === "tool-call") return [callItem(undefined, first, "completed", names.get(first.name))];
  if (first.kind === "vendor") return [withoutUndefined(requireItemOfWire(first, "responses"))];
  if (first.kind === "compaction") return [compactionItem(first.id, first) ?? refuseCompaction()];
  return renderMessages(run, path);
}

/** Renders reasoning. The vendor refuses reasoning that it did not encrypt. */
function renderReasoning(parts: readonly ReasoningPart[], unsupported: Unsupported): readonly JsonRecord[] {
  const encrypted = ownSignature(parts.at(-1)?.signature, "responses");
  unsupported.noteIf("turn.reasoning", encrypted === undefined);
  return encrypted === undefined ? [] : [reasoningItem(parts[0]?.id, parts, encrypted)];
}

function renderMessages(run: readonly Part[], path: string): readonly JsonRecord[] {
  const items: JsonRecord[] = [];
  let textParts: Part[] = [];
  const flush = (): void => {
    if (textParts.length > 0) items.push(messageItem(`msg_${path}_${items.length}`, textParts, "completed"));
    textParts = [];
  };
  for (const part of run) {
    if (part.kind === "text" || part.kind === "refusal") textParts.push(part);
    else {
      flush();
      const item = part.kind === "image" ? imageItem(`ig_${path}_${items.length}`, part) : undefined;
      if (item === undefined) throw unsupportedFailure(`${part.kind} parts of the model`);
      items.push(item);
    }
  }
  flush();
  return items;
}
