import type { OpenedPart } from "../hub/answer.ts";
import { unwrapCustom } from "../hub/custom.ts";
import type { JsonObject } from "../hub/request.ts";
import type { LocalName } from "./namespaces.ts";
import type { Emit, ItemRef, OpenItem } from "./open-item.ts";
import { callItem, type ItemStatus } from "./answer-parts.ts";

type OpenedCall = Extract<OpenedPart, { kind: "tool-call" }>;

/**
 * A call of a function or of a free-text tool. Where the vendor knows functions only, a free-text tool's input comes
 * wrapped and is sent at its end, unwrapped.
 */
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

  start(): string {
    return "";
  }

  delta(text: string): string {
    this.#pieces.push(text);
    return this.#wrapped ? "" : this.#event("delta", { delta: text });
  }

  cite(): string {
    return "";
  }

  endPart(): string {
    const text = this.#text();
    const late = this.#wrapped && text !== "" ? this.#event("delta", { delta: text }) : "";
    const said =
      this.#call.custom === true ? { input: text } : { name: this.#local?.name ?? this.#call.name, arguments: text };
    return late + this.#event("done", said);
  }

  close(): string {
    return "";
  }

  item(status: ItemStatus): JsonObject {
    const text = status === "in_progress" ? "" : this.#text();
    return callItem(this.#ref.id, { ...this.#call, arguments: text }, status, this.#local);
  }

  #text(): string {
    const text = this.#pieces.join("");
    return this.#wrapped ? unwrapCustom(text) : text;
  }

  #event(what: "delta" | "done", members: JsonObject): string {
    const type = this.#call.custom === true ? "custom_tool_call_input" : "function_call_arguments";
    const { id, index } = this.#ref;
    return this.#emit(`response.${type}.${what}`, { item_id: id, output_index: index, ...members });
  }
}
