import { Failure, type Units } from "@modelgate/contracts";
import { cleanWords } from "@modelgate/providers";
import {
  SseDecoder,
  textCodecs,
  textPasses,
  type SseFrame,
  type StreamReader,
  type StreamWriter,
  type TextEvent,
  type TextWire,
} from "@modelgate/wires";
import { eventStream, type Carried, type StreamCarrier, type StreamGate } from "../exchange.ts";
import { plainWords, type Produced } from "../produced.ts";
import { wordBytesIn } from "./word-bytes.ts";

export interface ConvertOptions {
  /** The vendor's wire. */
  readonly wire: TextWire;
  readonly writer: StreamWriter;
  /** Of the client's stream; absent: server-sent events. */
  readonly contentType?: string | undefined;
  readonly gate?: StreamGate | undefined;
}

/** Wires in which nothing of worth follows a whole answer; in the others usage may. */
const endingWhenWhole: ReadonlySet<TextWire> = new Set(["responses", "messages"]);

/** The last frame of the chat wire. */
const endOfChat = "[DONE]";

/** A stream told in another wire: the vendor's frames are read into neutral events and written as the client's. */
export class ConvertStream implements StreamCarrier {
  readonly contentType: string;
  readonly #decoder = new SseDecoder();
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #produced: Produced;
  readonly #endsWhenWhole: boolean;
  readonly #wire: TextWire;
  readonly #gate: StreamGate | undefined;
  #unpaid: readonly SseFrame[] = [];
  /** The choices that have begun; those that have not ended. */
  readonly #begun = new Set<number>();
  readonly #open = new Set<number>();
  #done = false;
  last = "";

  constructor(options: ConvertOptions, produced: Produced) {
    this.#reader = textCodecs[options.wire].reader();
    this.#writer = options.writer;
    this.#wire = options.wire;
    this.#gate = options.gate;
    this.#produced = produced;
    this.#endsWhenWhole = endingWhenWhole.has(options.wire);
    this.contentType = options.contentType ?? eventStream;
    produced.readAs(plainWords);
  }

  get done(): boolean {
    return this.#done || (this.#endsWhenWhole && this.#reader.whole);
  }

  push(chunk: Buffer): Carried {
    let out = "";
    const frames = this.#decoder.push(chunk);
    const waiting = this.#unpaid.length === 0 ? frames : [...this.#unpaid, ...frames];
    this.#unpaid = [];
    for (const frame of waiting) {
      if (!this.#isPaid(frame)) this.#unpaid = waiting.slice(waiting.indexOf(frame));
      if (this.#unpaid.length > 0) return { out, isDry: true };
      if (frame.data === endOfChat) this.#done = true;
      const told = this.#tell(this.#reader.read(frame));
      out += told.out;
      if (told.failure !== undefined) return { out, failure: told.failure };
    }
    return { out };
  }

  end(): string {
    let out = "";
    for (const frame of this.#decoder.end()) out += this.#surely(this.#reader.read(frame));
    if (!this.#reader.whole) throw new Failure("upstream_error", "The vendor's answer was cut off.");
    out += this.#surely(this.#reader.end());
    this.last = this.#writer.end();
    return out + this.last;
  }

  cut(used: Units): string {
    const closed = this.#reader.end().map((event) => this.#writer.write(event));
    const open = this.#begun.size === 0 ? [0] : [...this.#open];
    const ends = open.map((choice) => this.#writer.write({ type: "finish", choice, reason: "length" }));
    const usage = this.#writer.write({ type: "usage", usage: used });
    this.last = this.#writer.end();
    return closed.join("") + ends.join("") + usage + this.last;
  }

  fail(failure: Failure, requestId: string): string {
    return this.#writer.fail(failure, requestId);
  }

  heartbeat(): string {
    return this.#writer.heartbeat();
  }

  #isPaid({ data }: SseFrame): boolean {
    const gate = this.#gate;
    // A character has at most three bytes.
    if (gate === undefined || gate.covers(data.length * 3)) return true;
    return gate.admits(wordBytesIn(Buffer.from(data), textPasses[this.#wire]));
  }

  #surely(events: readonly TextEvent[]): string {
    const { out, failure } = this.#tell(events);
    if (failure !== undefined) throw failure;
    return out;
  }

  #tell(events: readonly TextEvent[]): { readonly out: string; readonly failure?: Failure | undefined } {
    let out = "";
    for (const event of events) {
      if (event.type === "failure") return { out, failure: failureOf(event) };
      this.#meter(event);
      out += this.#writer.write(event);
    }
    return { out };
  }

  #begin(choice: number): void {
    this.#begun.add(choice);
    this.#open.add(choice);
  }

  #meter(event: TextEvent): void {
    if (event.type === "part-delta") this.#produced.add(event.text);
    else if (event.type === "part-start") this.#begin(event.choice);
    else if (event.type === "finish") this.#open.delete(event.choice);
    else if ((event.type === "usage" || event.type === "start") && event.usage !== undefined)
      this.#produced.usage = event.usage;
  }
}

function failureOf({ message, status }: Extract<TextEvent, { type: "failure" }>): Failure {
  const words = cleanWords(message);
  const code = status === 429 ? "upstream_rate_limited" : "upstream_error";
  return new Failure(code, `The vendor failed in the middle of its answer${words === "" ? "" : `: ${words}`}.`);
}
