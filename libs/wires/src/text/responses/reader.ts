import { own } from "../../json/own.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { parseRecord } from "../../json/parse-record.ts";
import type { TextEvent } from "../hub/answer.ts";
import type { Frame } from "../../sse/framing.ts";
import type { StreamReader } from "../hub/codec.ts";
import { PartBook } from "../hub/part-book.ts";
import { finishOf } from "./endings.ts";
import { callOfItem, responsesFees } from "./fees.ts";
import { textOf } from "./parse-answer.ts";
import { handlers } from "./part-reader.ts";
import { responsesUsage } from "./usage.ts";

/**
 * A vendor's stream of response events. Items are emitted as their events come; what only an item's end says (a seal,
 * an item of a tool) is emitted then. Unknown events are ignored.
 */
export class ResponsesReader implements StreamReader {
  readonly #book = new PartBook(0);
  #started = false;
  #whole = false;

  get whole(): boolean {
    return this.#whole;
  }

  get done(): boolean {
    return this.#whole;
  }

  read({ data }: Frame): readonly TextEvent[] {
    if (data === "" || data === "[DONE]") return [];
    const event = parseRecord(data);
    if (event === undefined)
      return [{ type: "failure", code: "invalid_json", message: "The vendor's stream is not JSON." }];
    const type = textOf(event["type"]);
    if (type === "error" || type === "response.failed") return [failureOf(event)];
    if (type === "response.completed" || type === "response.incomplete") return this.#finish(event);
    return [...this.#start(event), ...(own(handlers, type)?.(this.#book, event) ?? []), ...feesOf(type, event)];
  }

  end(): readonly TextEvent[] {
    return this.#book.endAll();
  }

  /** Of the first event with a response; vendors send it as `response.created`. */
  #start(event: JsonRecord): readonly TextEvent[] {
    const response = event["response"];
    if (this.#started || !isRecord(response)) return [];
    this.#started = true;
    const createdAt = typeof response["created_at"] === "number" ? response["created_at"] : 0;
    return [{ type: "start", id: textOf(response["id"]), model: textOf(response["model"]), createdAt }];
  }

  #finish(event: JsonRecord): readonly TextEvent[] {
    this.#whole = true;
    const response = isRecord(event["response"]) ? event["response"] : {};
    const usage = responsesUsage(response["usage"]);
    const fees = responsesFees(response);
    return [
      ...this.#start(event),
      ...this.#book.endAll(),
      { type: "finish", choice: 0, reason: finishOf(response, this.#book.kinds) },
      ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
      ...(fees === undefined ? [] : [{ type: "fees", fees } as const]),
    ];
  }
}

/** The call of a tool whose item is done. */
function feesOf(type: string, { item }: JsonRecord): readonly TextEvent[] {
  const calls = type === "response.output_item.done" && isRecord(item) ? callOfItem(item) : [];
  return calls.length === 0 ? [] : [{ type: "fees", fees: { calls } }];
}

/** `error` has its code itself, or under `error`; `response.failed` in its response. */
function failureOf(event: JsonRecord): TextEvent {
  const response = isRecord(event["response"]) ? event["response"] : event;
  const error = isRecord(response["error"]) ? response["error"] : event;
  const code = textOf(error["code"]);
  return {
    type: "failure",
    code: code === "" ? "server_error" : code,
    message: textOf(error["message"]),
  };
}
