import type { JsonRecord } from "../../json/fields.ts";
import { parseRecord } from "../../json/parse-record.ts";
import type { TextEvent } from "../hub/answer.ts";
import type { Frame } from "../../sse/framing.ts";
import type { StreamReader } from "../hub/codec.ts";
import { PartReader } from "./part-reader.ts";
import { chatFees } from "./fees.ts";
import { failureOf } from "./failure.ts";
import { choicesOf, headOf } from "./parse-answer.ts";
import type { ChatDialect } from "./dialect.ts";
import { usageOf } from "./usage.ts";

const none: readonly TextEvent[] = [];

/**
 * A vendor's stream of chunks. It is whole with `[DONE]`; for vendors that leave it out, once every choice said why
 * it ended and the usage came, so that nothing is missing.
 */
export class ChatReader implements StreamReader {
  readonly #choices = new Map<number, PartReader>();
  #answerId = "";
  #started = false;
  #done = false;
  #used = false;
  readonly #dialect: ChatDialect;

  constructor(dialect: ChatDialect = {}) {
    this.#dialect = dialect;
  }

  get whole(): boolean {
    return this.#done || (this.#used && this.#choices.size > 0 && this.#all((choice) => choice.finished));
  }

  get done(): boolean {
    return this.#done;
  }

  read({ data }: Frame): readonly TextEvent[] {
    if (data === "") return none;
    if (data === "[DONE]") return this.#finish();
    const chunk = parseRecord(data);
    if (chunk === undefined)
      return [{ type: "failure", code: "invalid_json", message: "The vendor's stream is not JSON." }];
    const failure = failureOf(chunk);
    if (failure !== undefined) return [failure];
    const choices = choicesOf(chunk);
    const usage = usageOf(chunk, this.#dialect);
    if (choices.length === 0 && usage === undefined) return none;
    const events = [...this.#start(chunk)];
    for (const choice of choices) events.push(...this.#choice(choice["index"]).take(choice));
    if (usage !== undefined) {
      this.#used = true;
      events.push({ type: "usage", usage });
      const fees = chatFees(chunk);
      if (fees !== undefined) events.push({ type: "fees", fees });
    }
    return events;
  }

  end(): readonly TextEvent[] {
    return [...this.#choices.values()].flatMap((choice) => (choice.finished ? none : choice.close()));
  }

  #finish(): readonly TextEvent[] {
    this.#done = true;
    return [...this.#choices.values()].flatMap((choice) => choice.finish({}));
  }

  /** Of the first chunk with content: some vendors send others before, without an id. */
  #start(chunk: JsonRecord): readonly TextEvent[] {
    if (this.#started) return none;
    this.#started = true;
    const head = headOf(chunk);
    this.#answerId = head.id;
    return [{ type: "start", ...head }];
  }

  #choice(index: unknown): PartReader {
    const at = typeof index === "number" ? index : 0;
    const known = this.#choices.get(at) ?? new PartReader(at, this.#answerId);
    this.#choices.set(at, known);
    return known;
  }

  #all(is: (choice: PartReader) => boolean): boolean {
    return [...this.#choices.values()].every(is);
  }
}
