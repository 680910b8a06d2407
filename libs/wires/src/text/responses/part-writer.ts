import { dispatch, PartSequencer, type EventHandlers } from "../hub/events.ts";
import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { OpenedPart, TextEvent } from "../hub/answer.ts";
import type { AnswerContext } from "../hub/wire.ts";
import { customNames } from "../hub/tool-calls.ts";
import type { Part, Signature } from "../hub/part.ts";
import { encodeEnvelope } from "../hub/signatures.ts";
import { itemId } from "./stores.ts";
import { localNames, type LocalName } from "./tools.ts";
import { OpenCall, type Emit, type ItemRef, type OpenItem, OpenMessage, OpenReasoning } from "./open-items.ts";
import { compactionItem, imageItem, reasoningItem } from "./render-items.ts";

/** Maximum characters of output. A longer answer fails, because a shortened answer would look complete. */
export const maxOutputCharacters = 32 * 2 ** 20;

/** Writes the output items of an answer and their events. */
export class PartWriter {
  readonly output: JsonRecord[] = [];
  isRefusedAsText = false;
  readonly #context: AnswerContext;
  readonly #emit: Emit;
  readonly #custom: ReadonlySet<string>;
  readonly #names: ReadonlyMap<string, LocalName>;
  readonly #order = new PartSequencer();
  #open: OpenItem | undefined;
  #opened: OpenedPart | undefined;
  #outputCharacters = 0;
  readonly #on: EventHandlers<string> = {
    "part-start": ({ opened }) => this.#start(opened),
    "part-delta": ({ text, logProbabilities }) => {
      this.#countOutput(text.length);
      return this.#open?.delta(text, logProbabilities ?? []) ?? "";
    },
    citation: ({ citation }) => this.#open?.cite?.(citation) ?? "",
    "part-end": ({ signature }) => this.#end(signature),
    "part-whole": ({ whole }) => this.close() + this.#whole(whole),
  };

  constructor(context: AnswerContext, emit: Emit) {
    this.#context = context;
    this.#emit = emit;
    this.#custom = customNames(context.request.tools);
    this.#names = localNames(context.request.tools);
  }

  /** Returns the frames for an event of the answer. Throws Failure upstream_error if the answer is too long. */
  write(event: TextEvent): string {
    return this.#order
      .add(event)
      .map((each) => dispatch(this.#on, each) ?? "")
      .join("");
  }

  /** Returns the output of a broken stream. */
  outputSoFar(): readonly JsonRecord[] {
    return this.#open === undefined ? this.output : [...this.output, this.#open.item("incomplete")];
  }

  #start(opened: OpenedPart): string {
    this.#opened = opened;
    if (opened.kind === "refusal") this.isRefusedAsText = true;
    if (this.#open?.joins(opened) === true) return this.#open.start?.(opened) ?? "";
    const closingEvents = this.close();
    const item = this.#openItem(opened);
    this.#open = item;
    return closingEvents + this.#added(item.item("in_progress")) + (item.start?.(opened) ?? "");
  }

  #openItem(opened: OpenedPart): OpenItem {
    if (opened.kind === "tool-call") {
      const wrapped = opened.custom !== true && this.#custom.has(opened.name);
      const ref = this.#newItem(wrapped || opened.custom === true ? "ctc" : "fc");
      return new OpenCall(this.#emit, ref, opened, wrapped, this.#names.get(opened.name));
    }
    if (opened.kind !== "reasoning") return new OpenMessage(this.#emit, this.#newItem("msg"));
    const item = this.#newItem("rs");
    const ref = { ...item, id: opened.id ?? item.id };
    return new OpenReasoning(this.#emit, ref, opened.id);
  }

  /** Ends a part. A signature of a part other than reasoning becomes a reasoning item after it. */
  #end(signature: Signature | undefined): string {
    const ended = this.#open?.endPart(signature) ?? "";
    if (signature === undefined || this.#opened?.kind === "reasoning") return ended;
    const call = this.#opened?.kind === "tool-call" ? this.#opened.id : undefined;
    return ended + this.close() + this.#writeSignature(signature, call);
  }

  #writeSignature(signature: Signature, call: string | undefined): string {
    const envelope = encodeEnvelope({ signature, ...(call === undefined ? { previous: true } : { call }) });
    return this.#writeWhole(reasoningItem(this.#newItem("rs").id, [], envelope));
  }

  #whole(part: Part): string {
    if (part.kind === "vendor" && part.wire === "responses" && isRecord(part.value))
      return this.#writeWhole(part.value);
    if (part.kind === "compaction") {
      const item = compactionItem(part.id ?? this.#newItem("cmp").id, part);
      return item === undefined ? "" : this.#writeWhole(item);
    }
    return part.kind === "image" ? this.#image(part) : "";
  }

  #image(part: Extract<Part, { kind: "image" }>): string {
    const ref = this.#newItem("ig");
    const item = imageItem(ref.id, part);
    if (item === undefined) return "";
    this.#countOutput(JSON.stringify(item).length);
    const position = { item_id: ref.id, output_index: ref.index };
    const frames =
      this.#added({ ...item, status: "in_progress", result: null }) +
      ["in_progress", "generating", "completed"]
        .map((step) => this.#emit(`response.image_generation_call.${step}`, position))
        .join("");
    return (
      frames + this.#done(item) + (part.signature === undefined ? "" : this.#writeSignature(part.signature, undefined))
    );
  }

  #writeWhole(item: JsonRecord): string {
    this.#countOutput(JSON.stringify(item).length);
    return this.#added(item) + this.#done(item);
  }

  /** Ends the open item. The last item of an answer that is not complete is `incomplete`. */
  close(isComplete = true): string {
    const open = this.#open;
    if (open === undefined) return "";
    this.#open = undefined;
    return this.#done(open.item(isComplete ? "completed" : "incomplete"));
  }

  #added(item: JsonRecord): string {
    return this.#emit("response.output_item.added", { output_index: this.output.length, item });
  }

  #done(item: JsonRecord): string {
    const events = this.#emit("response.output_item.done", { output_index: this.output.length, item });
    this.output.push(item);
    return events;
  }

  #newItem(prefix: Parameters<typeof itemId>[1]): ItemRef {
    const index = this.output.length;
    return { id: itemId(this.#context.answerId, prefix, index), index };
  }

  #countOutput(characters: number): void {
    this.#outputCharacters += characters;
    if (this.#outputCharacters > maxOutputCharacters)
      throw new Failure("upstream_error", "The answer is too large to be sent in one piece.");
  }
}
