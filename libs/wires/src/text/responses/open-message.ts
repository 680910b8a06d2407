import { present } from "@modelgate/contracts";
import type { OpenedPart } from "../hub/answer.ts";
import { logProbability } from "../hub/log-probabilities.ts";
import type { Citation, RefusalPart, TextPart, TokenProbability } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";
import type { Emit, ItemRef, OpenItem } from "./open-item.ts";
import { messageItem, type ItemStatus } from "./answer-parts.ts";
import { annotation, outputText } from "./render-parts.ts";

/** A text or refusal while it grows. */
interface Growing {
  readonly kind: "text" | "refusal";
  readonly pieces: string[];
  readonly citations: Citation[];
  readonly logProbabilities: TokenProbability[];
  annotated: number;
  /** Characters so far. */
  length: number;
}

/** A message: texts and refusals as its content parts. */
export class OpenMessage implements OpenItem {
  readonly #emit: Emit;
  readonly #ref: ItemRef;
  readonly #done: (TextPart | RefusalPart)[] = [];
  #open: Growing | undefined;

  constructor(emit: Emit, ref: ItemRef) {
    this.#emit = emit;
    this.#ref = ref;
  }

  joins({ kind }: OpenedPart): boolean {
    return kind === "text" || kind === "refusal";
  }

  start({ kind }: OpenedPart): string {
    const open: Growing = {
      kind: kind === "refusal" ? kind : "text",
      pieces: [],
      citations: [],
      logProbabilities: [],
      annotated: 0,
      length: 0,
    };
    this.#open = open;
    return this.#event("response.content_part.added", { part: content(whole(open)) });
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
    const [first] = annotation(citation, open.length);
    if (first === undefined) return "";
    // Kept as it was sent, so that the text's end does not change what a client already has.
    open.citations.push({ own: { wire: "responses", value: first } });
    return this.#event("response.output_text.annotation.added", {
      annotation: first,
      annotation_index: open.annotated++,
    });
  }

  endPart(): string {
    const open = this.#open;
    if (open === undefined) return "";
    const part = whole(open);
    const end =
      part.kind === "refusal"
        ? this.#event("response.refusal.done", { refusal: part.text })
        : this.#event("response.output_text.done", { text: part.text, logprobs: content(part)["logprobs"] });
    const done = this.#event("response.content_part.done", { part: content(part) });
    this.#done.push(part);
    this.#open = undefined;
    return end + done;
  }

  close(): string {
    return "";
  }

  item(status: ItemStatus): JsonObject {
    const open = this.#open === undefined ? [] : [whole(this.#open)];
    return messageItem(this.#ref.id, [...this.#done, ...open], status);
  }

  #event(type: string, members: JsonObject): string {
    const { id, index } = this.#ref;
    return this.#emit(type, { item_id: id, output_index: index, content_index: this.#done.length, ...members });
  }
}

function whole({ kind, pieces, citations, logProbabilities }: Growing): TextPart | RefusalPart {
  const text = pieces.join("");
  if (kind === "refusal") return { kind, text };
  return present({ kind, text, citations: [...citations], logProbabilities: [...logProbabilities] });
}

function content(part: TextPart | RefusalPart): JsonObject {
  return part.kind === "text" ? outputText(part) : { type: "refusal", refusal: part.text };
}
