import type { OpenedPart } from "../hub/answer.ts";
import type { ReasoningPart, Seal } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import { sealForClient, unsealed } from "../hub/seals.ts";
import type { Emit, ItemRef, OpenItem } from "./open-item.ts";
import { isSummary, reasoningItem, type ItemStatus } from "./answer-parts.ts";

/** Thoughts: summaries and contents under one id, with the seal that brings them back. */
export class OpenReasoning implements OpenItem {
  readonly #emit: Emit;
  readonly #ref: ItemRef;
  readonly #givenId: string | undefined;
  readonly #done: ReasoningPart[] = [];
  #summary = true;
  #pieces: string[] | undefined;
  #hasText = false;
  #sealed: string | undefined;

  constructor(emit: Emit, ref: ItemRef, givenId: string | undefined) {
    this.#emit = emit;
    this.#ref = ref;
    this.#givenId = givenId;
  }

  joins(opened: OpenedPart): boolean {
    if (opened.kind !== "reasoning" || this.#sealed !== undefined) return false;
    return opened.id !== undefined && opened.id === this.#givenId;
  }

  start(opened: OpenedPart): string {
    this.#summary = isSummary(opened.kind === "reasoning" ? opened : {});
    this.#pieces = [];
    this.#hasText = false;
    return "";
  }

  /** A summary's part is announced with its first words: a seal without thoughts has none. */
  delta(text: string): string {
    const first = this.#hasText ? "" : this.#announce("added", "");
    this.#hasText = true;
    this.#pieces?.push(text);
    return first + this.#event(`${this.#word}.delta`, { delta: text });
  }

  cite(): string {
    return "";
  }

  endPart(seal: Seal | undefined): string {
    const text = this.#pieces?.join("") ?? "";
    const events = this.#hasText ? this.#event(`${this.#word}.done`, { text }) + this.#announce("done", text) : "";
    if (text !== "") this.#done.push({ kind: "reasoning", text, summary: this.#summary });
    if (seal !== undefined) this.#sealed = sealForClient(seal, "responses");
    this.#pieces = undefined;
    return events;
  }

  close(): string {
    return "";
  }

  item(status: ItemStatus): JsonObject {
    const text = this.#pieces?.join("") ?? "";
    const open: ReasoningPart = { kind: "reasoning", text, summary: this.#summary };
    const parts = status === "in_progress" ? [] : [...this.#done, open];
    return reasoningItem(this.#ref.id, parts, status === "in_progress" ? undefined : (this.#sealed ?? unsealed));
  }

  get #word(): string {
    return this.#summary ? "response.reasoning_summary_text" : "response.reasoning_text";
  }

  #announce(what: "added" | "done", text: string): string {
    if (!this.#summary) return "";
    return this.#event(`response.reasoning_summary_part.${what}`, { part: { type: "summary_text", text } });
  }

  #event(type: string, members: JsonObject): string {
    const index = this.#done.filter(({ summary }) => summary === this.#summary).length;
    const at = this.#summary ? { summary_index: index } : { content_index: index };
    return this.#emit(type, { item_id: this.#ref.id, output_index: this.#ref.index, ...at, ...members });
  }
}
