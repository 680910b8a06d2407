import { Failure, type Units } from "@modelgate/contracts";
import { cleanWords } from "@modelgate/providers";
import type { FrameDecoder } from "@modelgate/wires/sse";
import type { StreamReader, StreamWriter, TextEvent, VendorTextCodec } from "@modelgate/wires/text";
import {
  type Carried,
  eventStream,
  plainWords,
  type Produced,
  type StreamCarrier,
  type StreamGate,
} from "@modelgate/relay";

export interface ConvertOptions {
  /** The vendor's wire. */
  readonly upstream: VendorTextCodec;
  readonly writer: StreamWriter;
  /** Of the client's stream; absent: server-sent events. */
  readonly contentType?: string | undefined;
  readonly gate?: StreamGate | undefined;
}

/** Where a part stands in an answer. */
type PartPlace = Pick<Extract<TextEvent, { type: "part-start" }>, "choice" | "part">;

/** What events come to. */
type Told = { readonly out: string; readonly failure?: Failure | undefined };

/** A stream told in another wire: the vendor's frames are read into neutral events and written as the client's. */
export class ConvertStream implements StreamCarrier {
  readonly contentType: string;
  readonly #decoder: FrameDecoder;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #produced: Produced;
  readonly #gate: StreamGate | undefined;
  /** What frames said that are not paid for, a list each. */
  #unpaid: (readonly TextEvent[])[] = [];
  /** The choices that have begun; those that have not ended, and parts that have not. */
  readonly #begun = new Set<number>();
  readonly #open = new Set<number>();
  readonly #parts = new Map<string, PartPlace>();
  /** Whether thoughts were shown. */
  #thinks = false;
  last = "";

  constructor(options: ConvertOptions, produced: Produced) {
    this.#decoder = options.upstream.framing.decoder();
    this.#reader = options.upstream.vendor.reader();
    this.#writer = options.writer;
    this.#gate = options.gate;
    this.#produced = produced;
    this.contentType = options.contentType ?? eventStream;
    produced.readAs(plainWords);
  }

  get done(): boolean {
    if (this.#unpaid.length > 0) return false;
    return this.#reader.done;
  }

  push(chunk: Buffer): Carried {
    const waiting = this.#unpaid;
    this.#unpaid = [];
    let out = "";
    for (const events of waiting) {
      const told = this.#take(events);
      out += told.out;
      if (told.failure !== undefined) return { out, failure: told.failure };
    }
    for (const frame of this.#decoder.push(chunk)) {
      const told = this.#take(this.#reader.read(frame));
      out += told.out;
      if (told.failure !== undefined) return { out, failure: told.failure };
    }
    return this.#unpaid.length === 0 ? { out } : { out, isDry: true };
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
    const closed = [...this.#parts.values()].map(({ choice, part }) =>
      this.#writer.write({ type: "part-end", choice, part }),
    );
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

  /** Tells what a frame said, or keeps it until it is paid for. */
  #take(events: readonly TextEvent[]): Told {
    if (this.#unpaid.length === 0 && this.#isPaid(events)) return this.#tell(events);
    this.#unpaid.push(events);
    return { out: "" };
  }

  #isPaid(events: readonly TextEvent[]): boolean {
    const gate = this.#gate;
    if (gate === undefined) return true;
    let bytes = 0;
    for (const event of events) {
      if (event.type === "part-delta") bytes += Buffer.byteLength(event.text);
      else if (event.type === "part-start") this.#thinks ||= event.opened.kind === "reasoning";
    }
    return bytes === 0 || gate.covers(bytes) || gate.admits(bytes, this.#thinks);
  }

  #surely(events: readonly TextEvent[]): string {
    const { out, failure } = this.#tell(events);
    if (failure !== undefined) throw failure;
    return out;
  }

  #tell(events: readonly TextEvent[]): Told {
    let out = "";
    for (const event of events) {
      if (event.type === "failure") return { out, failure: failureOf(event) };
      this.#meter(event);
      out += this.#writer.write(event);
    }
    return { out };
  }

  #begin({ choice, part }: PartPlace): void {
    this.#begun.add(choice);
    this.#open.add(choice);
    this.#parts.set(`${choice}:${part}`, { choice, part });
  }

  #meter(event: TextEvent): void {
    if (event.type === "part-delta") this.#produced.add(event.text);
    else if (event.type === "part-start") this.#begin(event);
    else if (event.type === "part-end") this.#parts.delete(`${event.choice}:${event.part}`);
    else if (event.type === "fees") this.#produced.fees?.saw(event.fees);
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
