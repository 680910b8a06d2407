import type { Behaviour } from "../../behaviour.ts";
import { withoutUndefinedMembers, textAt } from "../../checks/members.ts";
import type { Answer } from "../../core/answer.ts";
import type { ToolCall } from "../../core/requested-calls.ts";
import { freshId } from "../../core/ids.ts";
import { encodeText, makeOpaqueData } from "../../core/opaque-data.ts";
import { halvesOf, piecesOf } from "../../core/tokens.ts";
import { renderLogprobs } from "../chat/render.ts";
import { compactionDataKind, reasoningDataKind } from "./rules.ts";
import type { ResponsesRequest } from "./read.ts";
import { textOfItem } from "./words.ts";

/** Event of an output item, without its sequence number. */
export interface ItemEvent {
  readonly type: string;
  readonly members: object;
  /** True for events with content, which delays and faults count. */
  readonly content?: boolean;
}

/** Output item, with its events. */
export interface OutputItem {
  readonly added: object;
  readonly events: Iterable<ItemEvent>;
  readonly done: object;
}

export function itemsOf(request: ResponsesRequest, answer: Answer, behaviour: Behaviour): readonly OutputItem[] {
  if (textAt(request.items.at(-1), "type") === "compaction_trigger") return [compactionItem(request)];
  const items: OutputItem[] = [];
  if (answer.thoughts !== undefined) items.push(reasoningItem(request, answer.thoughts, answer.redacted, behaviour));
  if (answer.text !== undefined && answer.refuses) items.push(refusalItem(answer.text));
  else if (answer.text !== undefined) items.push(messageItem(request, answer.text, answer.finish, behaviour));
  if (answer.image !== undefined) items.push(imageItem(answer.image));
  for (const call of answer.calls) items.push(callItem(request, call));
  return items;
}

function compactionItem({ items }: ResponsesRequest): OutputItem {
  const encrypted_content = encodeText(compactionDataKind, items.map(textOfItem).join("\n"));
  const done = { type: "compaction", id: freshId("cmp_"), encrypted_content };
  return { added: done, events: [], done };
}

function reasoningItem(
  request: ResponsesRequest,
  thoughts: string,
  redacted: boolean,
  { reasoning }: Behaviour,
): OutputItem {
  const id = freshId("rs_");
  const shown = (request.summary || reasoning !== undefined) && !redacted;
  const summary = shown ? [{ type: "summary_text", text: thoughts }] : [];
  const encryptedContent = request.includesEncryptedReasoning ? makeOpaqueData(reasoningDataKind, thoughts) : undefined;
  return {
    added: { type: "reasoning", id, summary: [] },
    events: shown ? summaryEvents(id, thoughts) : [],
    done: withoutUndefinedMembers({ type: "reasoning", id, summary, encrypted_content: encryptedContent }),
  };
}

function* summaryEvents(item_id: string, text: string): Generator<ItemEvent> {
  const place = { item_id, summary_index: 0 };
  const type = (name: string): string => `response.reasoning_summary_${name}`;
  yield { type: type("part.added"), members: { ...place, part: { type: "summary_text", text: "" } } };
  for (const delta of piecesOf(text)) yield { type: type("text.delta"), members: { ...place, delta }, content: true };
  yield { type: type("text.done"), members: { ...place, text } };
  yield { type: type("part.done"), members: { ...place, part: { type: "summary_text", text } } };
}

function messageItem(request: ResponsesRequest, text: string, finish: string, { chunks }: Behaviour): OutputItem {
  const id = freshId("msg_");
  const head = { type: "message", id, role: "assistant" };
  const logprobsOf = (words: string): unknown =>
    request.logprobs ? Reflect.get(renderLogprobs(words, 0) ?? {}, "content") : [];
  const pieces = piecesOf(text, chunks);
  const sent = chunks === undefined || !request.stream ? text : pieces.join("");
  const part = { type: "output_text", text: sent, annotations: [], logprobs: logprobsOf(sent) };
  const status = finish === "length" || finish === "content_filter" ? "incomplete" : "completed";
  function* events(): Generator<ItemEvent> {
    const place = { item_id: id, content_index: 0 };
    const empty = { ...part, text: "", logprobs: [] };
    yield { type: "response.content_part.added", members: { ...place, part: empty } };
    for (const delta of pieces)
      yield {
        type: "response.output_text.delta",
        members: { ...place, delta, logprobs: logprobsOf(delta) },
        content: true,
      };
    yield { type: "response.output_text.done", members: { ...place, text: sent, logprobs: part.logprobs } };
    yield { type: "response.content_part.done", members: { ...place, part } };
  }
  return {
    added: { ...head, status: "in_progress", content: [] },
    events: events(),
    done: { ...head, status, content: [part] },
  };
}

function refusalItem(refusal: string): OutputItem {
  const id = freshId("msg_");
  const head = { type: "message", id, role: "assistant" };
  const part = { type: "refusal", refusal };
  function* events(): Generator<ItemEvent> {
    const place = { item_id: id, content_index: 0 };
    yield { type: "response.content_part.added", members: { ...place, part: { ...part, refusal: "" } } };
    for (const delta of piecesOf(refusal))
      yield { type: "response.refusal.delta", members: { ...place, delta }, content: true };
    yield { type: "response.refusal.done", members: { ...place, refusal } };
    yield { type: "response.content_part.done", members: { ...place, part } };
  }
  return {
    added: { ...head, status: "in_progress", content: [] },
    events: events(),
    done: { ...head, status: "completed", content: [part] },
  };
}

function imageItem(image: Buffer): OutputItem {
  const head = { type: "image_generation_call", id: freshId("ig_") };
  const step = (name: string): ItemEvent => ({
    type: `response.image_generation_call.${name}`,
    members: { item_id: head.id },
  });
  return {
    added: { ...head, status: "in_progress", result: null },
    events: [step("in_progress"), step("generating"), step("completed")],
    done: { ...head, status: "completed", result: image.toString("base64"), output_format: "png" },
  };
}

function callItem({ question }: ResponsesRequest, { name, arguments: args }: ToolCall): OutputItem {
  const tool = question.tools.find((each) => each.name === name);
  const custom = tool?.custom === true;
  const id = freshId(custom ? "ctc_" : "fc_");
  const placed = tool?.namespace === undefined ? {} : { namespace: tool.namespace };
  const head = { type: custom ? "custom_tool_call" : "function_call", id, call_id: freshId("call_"), name, ...placed };
  const whole = custom ? { input: args } : { arguments: args };
  const type = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const place = { item_id: id };
  return {
    added: { ...head, ...(custom ? { input: "" } : { arguments: "" }), status: "in_progress" },
    events: [
      ...halvesOf(args).map((delta) => ({ type: `${type}.delta`, members: { ...place, delta }, content: true })),
      { type: `${type}.done`, members: { ...place, ...(custom ? {} : { name }), ...whole } },
    ],
    done: { ...head, ...whole, status: "completed" },
  };
}
