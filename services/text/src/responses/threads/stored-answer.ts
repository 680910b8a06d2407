import { idsOf, type AnswerSink, type Holding, type ServiceCall } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import { parseRecord } from "@modelgate/formats/json";
import { SseDecoder } from "@modelgate/formats/sse";
import type { AnswerCollector, JsonObject } from "@modelgate/wires/text";

interface StoringOptions {
  /** Maximum bytes of an answer; a longer one is not stored. */
  readonly maxBytes: number;
  /** Part of the memory budget for the bytes of the answer. */
  readonly memory: Pick<Holding, "add">;
  /** Assembles the answer of a stream. */
  readonly collector: AnswerCollector;
  /** Stores a complete answer. Never rejects. */
  readonly store: (id: string, answer: JsonObject) => Promise<void>;
}

/** Sink of a call whose answer is stored. */
export interface StoringSink extends AnswerSink {
  /** Resolves when the answer is stored, or at once if no answer is stored. The call's memory is needed until then. */
  readonly stored: Promise<void>;
}

type StoredAnswerCall = Pick<ServiceCall, "answer" | "caller" | "log" | "requestId" | "span">;

/** Wraps the sink of a call so that the answer is stored before the client receives its last part. */
export function storeAnswerFirst(call: StoredAnswerCall, options: StoringOptions): StoringSink {
  const sink = call.answer;
  const answer = new CollectedAnswer(call, options);
  let stored = Promise.resolve();
  return {
    get isHeadSent() {
      return sink.isHeadSent;
    },
    get isClosed() {
      return sink.isClosed;
    },
    get isFull() {
      return sink.isFull;
    },
    get stored() {
      return stored;
    },
    setHeader: (name, value) => sink.setHeader(name, value),
    announceTrailer: (name) => sink.announceTrailer(name),
    addTrailer: (name, value) => sink.addTrailer(name, value),
    begin(status, headers) {
      answer.isStorable = status === 200;
      answer.isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
      sink.begin(status, headers);
    },
    write(piece) {
      if (answer.isStream) answer.add(Buffer.from(piece));
      return sink.write(piece);
    },
    end(last) {
      const piece = Buffer.from(last ?? "");
      answer.add(piece);
      if (!answer.isStorable) return sink.end(last);
      stored = answer.store(piece).finally(() => sink.end(last));
    },
    destroy: () => sink.destroy(),
    watch: (watcher) => sink.watch(watcher),
  };
}

class CollectedAnswer {
  isStream = false;
  /** False if the answer is an error, too long, or exceeds the memory budget. */
  isStorable = false;
  readonly #call: StoredAnswerCall;
  readonly #options: StoringOptions;
  readonly #decoder = new SseDecoder();
  #bytes = 0;

  constructor(call: StoredAnswerCall, options: StoringOptions) {
    this.#call = call;
    this.#options = options;
  }

  /** Adds a chunk of a stream, or a complete answer. */
  add(piece: Buffer): void {
    const { collector, maxBytes, memory } = this.#options;
    this.#bytes += piece.length;
    this.isStorable &&= this.#bytes <= maxBytes;
    if (!this.isStorable) return;
    try {
      memory.add(piece.length);
    } catch (error) {
      this.isStorable = false;
      return this.#call.log.warn({ ...idsOf(this.#call), err: error }, "an answer was not stored");
    }
    if (this.isStream) for (const { data } of this.#decoder.push(piece)) collector.add(parseRecord(data) ?? {});
  }

  /** Stores the answer that ends with `last`, if it is complete. */
  async store(last: Buffer): Promise<void> {
    const { collector, store: storeAnswer } = this.#options;
    const answer = this.isStream ? collector.answer : await reparseJson(last).catch(() => undefined);
    const id = answer?.["id"];
    if (answer !== undefined && typeof id === "string") await storeAnswer(id, answer);
  }
}
