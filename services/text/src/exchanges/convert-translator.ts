import { Failure, type Units } from "@modelgate/contracts";
import { eventStream, streamFailure, type FrameReading, type StreamTranslator } from "@modelgate/relay";
import type { StreamFraming } from "@modelgate/formats/sse";
import type {
  ReportedExtraUsage,
  StreamReader,
  StreamWriter,
  TextEvent,
  FailureEvent,
  VendorTextWire,
} from "@modelgate/wires/text";

export interface ConvertOptions {
  /** Wire of the vendor. */
  readonly upstream: VendorTextWire;
  readonly writer: StreamWriter;
  /** Content type of the client's stream; server-sent events if absent. */
  readonly contentType?: string | undefined;
  /** True if a part of the answer is useless, so that a stream which the gateway ends early fails. */
  readonly needsWholeAnswer?: boolean;
}

/** Position of a part in an answer. */
type PartPosition = Pick<Extract<TextEvent, { type: "part-start" }>, "choice" | "part">;

/** Converts a stream to another wire, through the events of the gateway's neutral form. */
export class ConvertTranslator implements StreamTranslator {
  readonly contentType: string;
  readonly #framing: StreamFraming;
  readonly #reader: StreamReader;
  readonly #writer: StreamWriter;
  readonly #needsWholeAnswer: boolean;
  readonly #begunChoices = new Set<number>();
  /** Choices that have begun and not finished. */
  readonly #openChoices = new Set<number>();
  readonly #openParts = new Map<string, PartPosition>();
  /** True once the stream has shown reasoning. */
  #hasReasoning = false;
  last = "";

  constructor({ upstream, writer, contentType = eventStream, needsWholeAnswer = false }: ConvertOptions) {
    this.#framing = upstream.framing;
    this.#reader = upstream.vendor.stream();
    this.#writer = writer;
    this.#needsWholeAnswer = needsWholeAnswer;
    this.contentType = contentType;
  }

  read(frame: Buffer): FrameReading {
    const parsed = this.#framing.parse(frame);
    if (parsed === undefined) return emptyReading;
    const all = this.#reader.read(parsed);
    let text = "";
    let usage: Units | undefined;
    let fees: ReportedExtraUsage | undefined;
    for (const event of all) {
      if (event.type === "part-delta") text += event.text;
      else if (event.type === "part-start") this.#hasReasoning ||= event.opened.kind === "reasoning";
      else if (event.type === "fees") fees = event.fees;
      else if (event.type === "usage" || event.type === "start") usage = event.usage ?? usage;
      else if (event.type === "failure")
        return this.#failed(all.slice(0, all.indexOf(event)), event, { text, usage, fees });
    }
    return { text, usage, fees, isLast: this.#reader.done, render: () => this.#write(all) };
  }

  /** Returns the reading of a frame that contains a failure. The client still gets the events `before` the failure. */
  #failed(
    before: readonly TextEvent[],
    event: FailureEvent,
    reading: Pick<FrameReading, "fees" | "usage" | "text">,
  ): FrameReading {
    return { ...reading, isLast: false, failure: streamFailure(event), render: () => this.#write(before) };
  }

  mayContainReasoning(): boolean {
    return this.#hasReasoning;
  }

  extractText(text: string): string {
    return text;
  }

  end(): string {
    if (!this.#reader.isComplete) throw new Failure("upstream_error", "The vendor's answer was cut off.");
    const rest = this.#write(this.#reader.end());
    this.last = this.#writer.end();
    return rest + this.last;
  }

  cut(used: Units): string | undefined {
    if (this.#needsWholeAnswer) return undefined;
    const partEnds = [...this.#openParts.values()].map(({ choice, part }) =>
      this.#writer.write({ type: "part-end", choice, part }),
    );
    const openChoices = this.#begunChoices.size === 0 ? [0] : [...this.#openChoices];
    const ends = openChoices.map((choice) => this.#writer.write({ type: "finish", choice, reason: "length" }));
    const usage = this.#writer.write({ type: "usage", usage: used });
    this.last = this.#writer.end();
    return partEnds.join("") + ends.join("") + usage + this.last;
  }

  fail(failure: Failure, requestId: string): string {
    return this.#writer.fail(failure, requestId);
  }

  heartbeat(): string {
    return this.#writer.heartbeat();
  }

  #write(events: readonly TextEvent[]): string {
    let out = "";
    for (const event of events) {
      if (event.type === "part-start") this.#begin(event);
      else if (event.type === "part-end") this.#openParts.delete(`${event.choice}:${event.part}`);
      else if (event.type === "finish") this.#openChoices.delete(event.choice);
      out += this.#writer.write(event);
    }
    return out;
  }

  #begin({ choice, part }: PartPosition): void {
    this.#begunChoices.add(choice);
    this.#openChoices.add(choice);
    this.#openParts.set(`${choice}:${part}`, { choice, part });
  }
}

/** Reading of a frame without content. */
const emptyReading: FrameReading = { text: "", isLast: false, render: () => "" };
