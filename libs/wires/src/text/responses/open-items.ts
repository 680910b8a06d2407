import { withoutUndefined } from "@modelgate/contracts";
import type { JsonRecord } from "@modelgate/formats/json";
import type { OpenedPart } from "../hub/answer.ts";
import { logProbability } from "../hub/content.ts";
import type { Citation, Signature, TokenProbability, RefusalPart, TextPart, ReasoningPart } from "../hub/part.ts";
import { signatureForClient, placeholderSignature } from "../hub/signatures.ts";
import { unwrapCustom } from "../hub/tool-calls.ts";
import type { LocalName } from "./tools.ts";
import type { ItemStatus } from "./render-items.ts";
import { callItem, messageItem, renderAnnotation, outputText, isSummary, reasoningItem } from "./render-items.ts";

/** Renders one event. The sequence number is added. */
export type Emit = (type: string, members: JsonRecord) => string;

/** Id and index of an output item. */
export interface ItemRef {
  readonly id: string;
  readonly index: number;
}

/** An output item while it is streamed. `joins` returns true if the next part belongs to the same item. */
export interface OpenItem {
  joins(opened: OpenedPart): boolean;
  start?(opened: OpenedPart): string;
  delta(text: string, logProbabilities: readonly TokenProbability[]): string;
  cite?(citation: Citation): string;
  endPart(signature: Signature | undefined): string;
  item(status: ItemStatus): JsonRecord;
}

type OpenedCall = Extract<OpenedPart, { kind: "tool-call" }>;

/** A call. The input of a free-text tool that was wrapped as a function is sent at the end. */
export class OpenCall implements OpenItem {
  readonly #emit: Emit;
  readonly #ref: ItemRef;
  readonly #call: OpenedCall;
  readonly #wrapped: boolean;
  readonly #local: LocalName | undefined;
  readonly #pieces: string[] = [];

  constructor(emit: Emit, ref: ItemRef, call: OpenedCall, wrapped: boolean, local?: LocalName) {
    this.#emit = emit;
    this.#ref = ref;
    this.#call = wrapped ? { ...call, custom: true } : call;
    this.#wrapped = wrapped;
    this.#local = local;
  }

  joins(): boolean {
    return false;
  }

  delta(text: string): string {
    this.#pieces.push(text);
    return this.#wrapped ? "" : this.#event("delta", { delta: text });
  }

  endPart(): string {
    const text = this.#text();
    const late = this.#wrapped && text !== "" ? this.#event("delta", { delta: text }) : "";
    const end =
      this.#call.custom === true ? { input: text } : { name: this.#local?.name ?? this.#call.name, arguments: text };
    return late + this.#event("done", end);
  }

  item(status: ItemStatus): JsonRecord {
    const text = status === "in_progress" ? "" : this.#text();
    return callItem(this.#ref.id, { ...this.#call, arguments: text }, status, this.#local);
  }

  #text(): string {
    const text = this.#pieces.join("");
    return this.#wrapped ? unwrapCustom(text) : text;
  }

  #event(phase: "delta" | "done", members: JsonRecord): string {
    const type = this.#call.custom === true ? "custom_tool_call_input" : "function_call_arguments";
    const { id, index } = this.#ref;
    return this.#emit(`response.${type}.${phase}`, { item_id: id, output_index: index, ...members });
  }
}

interface GrowingText {
  readonly kind: "text" | "refusal";
  readonly pieces: string[];
  readonly citations: Citation[];
  readonly logProbabilities: TokenProbability[];
  annotated: number;
  length: number;
}

export class OpenMessage implements OpenItem {
  readonly #emit: Emit;
  readonly #ref: ItemRef;
  readonly #done: (TextPart | RefusalPart)[] = [];
  #open: GrowingText | undefined;

  constructor(emit: Emit, ref: ItemRef) {
    this.#emit = emit;
    this.#ref = ref;
  }

  joins({ kind }: OpenedPart): boolean {
    return kind === "text" || kind === "refusal";
  }

  start({ kind }: OpenedPart): string {
    const open: GrowingText = {
      kind: kind === "refusal" ? kind : "text",
      pieces: [],
      citations: [],
      logProbabilities: [],
      annotated: 0,
      length: 0,
    };
    this.#open = open;
    return this.#event("response.content_part.added", { part: renderPart(completePart(open)) });
  }

  delta(text: string, logProbabilities: readonly TokenProbability[]): string {
    if (this.#open !== undefined) this.#open.length += text.length;
    this.#open?.pieces.push(text);
    if (this.#open?.kind === "refusal") return this.#event("response.refusal.delta", { delta: text });
    for (const each of logProbabilities) this.#open?.logProbabilities.push(each);
    return this.#event("response.output_text.delta", { delta: text, logprobs: logProbabilities.map(logProbability) });
  }

  cite(citation: Citation): string {
    const open = this.#open;
    if (open === undefined || open.kind === "refusal") return "";
    const [first] = renderAnnotation(citation, open.length);
    if (first === undefined) return "";
    // The sent annotation is stored, so that its range does not change when the text ends.
    open.citations.push({ own: { wire: "responses", value: first } });
    return this.#event("response.output_text.annotation.added", {
      annotation: first,
      annotation_index: open.annotated++,
    });
  }

  endPart(): string {
    const open = this.#open;
    if (open === undefined) return "";
    const part = completePart(open);
    const end =
      part.kind === "refusal"
        ? this.#event("response.refusal.done", { refusal: part.text })
        : this.#event("response.output_text.done", { text: part.text, logprobs: renderPart(part)["logprobs"] });
    const done = this.#event("response.content_part.done", { part: renderPart(part) });
    this.#done.push(part);
    this.#open = undefined;
    return end + done;
  }

  item(status: ItemStatus): JsonRecord {
    const open = this.#open === undefined ? [] : [completePart(this.#open)];
    return messageItem(this.#ref.id, [...this.#done, ...open], status);
  }

  #event(type: string, members: JsonRecord): string {
    const { id, index } = this.#ref;
    return this.#emit(type, { item_id: id, output_index: index, content_index: this.#done.length, ...members });
  }
}

function completePart({ kind, pieces, citations, logProbabilities }: GrowingText): TextPart | RefusalPart {
  const text = pieces.join("");
  if (kind === "refusal") return { kind, text };
  return withoutUndefined({ kind, text, citations: [...citations], logProbabilities: [...logProbabilities] });
}

function renderPart(part: TextPart | RefusalPart): JsonRecord {
  return part.kind === "text" ? outputText(part) : { type: "refusal", refusal: part.text };
}

/** A reasoning item: summaries and contents with one id, and the encrypted content. */
export class OpenReasoning implements OpenItem {
  readonly #emit: Emit;
  readonly #ref: ItemRef;
  readonly #partId: string | undefined;
  readonly #done: ReasoningPart[] = [];
  #summary = true;
  #pieces: string[] | undefined;
  #hasText = false;
  #encrypted: string | undefined;

  constructor(emit: Emit, ref: ItemRef, partId: string | undefined) {
    this.#emit = emit;
    this.#ref = ref;
    this.#partId = partId;
  }

  joins(opened: OpenedPart): boolean {
    if (opened.kind !== "reasoning" || this.#encrypted !== undefined) return false;
    return opened.id !== undefined && opened.id === this.#partId;
  }

  start(opened: OpenedPart): string {
    this.#summary = isSummary(opened.kind === "reasoning" ? opened : {});
    this.#pieces = [];
    this.#hasText = false;
    return "";
  }

  /**
   * Writes a piece of text. The part is announced with its first text, because encrypted reasoning may have no text.
   */
  delta(text: string): string {
    const first = this.#hasText ? "" : this.#announce("added", "");
    this.#hasText = true;
    this.#pieces?.push(text);
    return first + this.#event(`${this.#textEvent}.delta`, { delta: text });
  }

  endPart(signature: Signature | undefined): string {
    const text = this.#pieces?.join("") ?? "";
    const events = this.#hasText ? this.#event(`${this.#textEvent}.done`, { text }) + this.#announce("done", text) : "";
    if (text !== "") this.#done.push({ kind: "reasoning", text, summary: this.#summary });
    if (signature !== undefined) this.#encrypted = signatureForClient(signature, "responses");
    this.#pieces = undefined;
    return events;
  }

  item(status: ItemStatus): JsonRecord {
    const text = this.#pieces?.join("") ?? "";
    const open: ReasoningPart = { kind: "reasoning", text, summary: this.#summary };
    const parts = status === "in_progress" ? [] : [...this.#done, open];
    return reasoningItem(
      this.#ref.id,
      parts,
      status === "in_progress" ? undefined : (this.#encrypted ?? placeholderSignature),
    );
  }

  get #textEvent(): string {
    return this.#summary ? "response.reasoning_summary_text" : "response.reasoning_text";
  }

  #announce(phase: "added" | "done", text: string): string {
    const [name, type] = this.#summary
      ? ["reasoning_summary_part", "summary_text"]
      : ["content_part", "reasoning_text"];
    return this.#event(`response.${name}.${phase}`, { part: { type, text } });
  }

  #event(type: string, members: JsonRecord): string {
    const index = this.#done.filter(({ summary }) => summary === this.#summary).length;
    const position = this.#summary ? { summary_index: index } : { content_index: index };
    return this.#emit(type, { item_id: this.#ref.id, output_index: this.#ref.index, ...position, ...members });
  }
}
