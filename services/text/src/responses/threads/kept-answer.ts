import { idsOf, type AnswerSink, type Holding, type ServiceCall } from "@modelgate/platform";
import { reparseJson } from "@modelgate/relay";
import { parseRecord } from "@modelgate/wires/json";
import { SseDecoder } from "@modelgate/wires/sse";
import type { AnswerCollector, JsonObject } from "@modelgate/wires/text";

/** Options of `keepingAnswer`. */
interface KeepingOptions {
  /** Maximum bytes of an answer; a longer one is not stored. */
  readonly maxBytes: number;
  /** Memory of the call, of which the answer takes a part until it is stored. */
  readonly memory: Pick<Holding, "take">;
  /** Assembles the answer of a stream. */
  readonly collector: AnswerCollector;
  /** Stores a complete answer. Never rejects. */
  readonly keep: (id: string, answer: JsonObject) => Promise<void>;
}

/** Sink of a call whose answer is stored. */
export interface KeepingSink extends AnswerSink {
  /** Resolves when the answer is stored, or at once if there is none. The call's memory is needed until then. */
  readonly kept: Promise<void>;
}

/**
 * Wraps the sink of a call so that the complete answer is stored before the client receives its last part. The client
 * can then refer to it immediately. An answer for which the memory does not suffice is not stored.
 */
export function keepingAnswer(
  call: Pick<ServiceCall, "answer" | "caller" | "log" | "requestId" | "span">,
  { maxBytes, memory, collector, keep }: KeepingOptions,
): KeepingSink {
  const sink = call.answer;
  const decoder = new SseDecoder();
  let isStream = false;
  let isGood = false;
  let bytes = 0;
  let kept = Promise.resolve();

  /** Counts a piece of the answer. Returns false if the answer cannot be stored. */
  function count(piece: Buffer): boolean {
    bytes += piece.length;
    isGood &&= bytes <= maxBytes;
    if (!isGood) return false;
    try {
      memory.take(piece.length);
    } catch (error) {
      isGood = false;
      call.log.warn({ ...idsOf(call), err: error }, "an answer was not kept");
    }
    return isGood;
  }

  function collect(piece: Buffer): void {
    if (!count(piece)) return;
    for (const { data } of decoder.push(piece)) collector.take(parseRecord(data) ?? {});
  }

  /** Stores the answer that ends with `last`. */
  async function keepWhole(last: Buffer): Promise<void> {
    const answer = isStream ? collector.answer : await reparseJson(last).catch(() => undefined);
    const id = answer?.["id"];
    if (answer !== undefined && typeof id === "string") await keep(id, answer);
  }

  return {
    get begun() {
      return sink.begun;
    },
    get closed() {
      return sink.closed;
    },
    get full() {
      return sink.full;
    },
    get kept() {
      return kept;
    },
    setHeader: (name, value) => sink.setHeader(name, value),
    announceTrailer: (name) => sink.announceTrailer(name),
    addTrailer: (name, value) => sink.addTrailer(name, value),
    begin(status, headers) {
      isGood = status === 200;
      isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
      sink.begin(status, headers);
    },
    write(piece) {
      if (isStream) collect(Buffer.from(piece));
      return sink.write(piece);
    },
    end(last) {
      const piece = Buffer.from(last ?? "");
      if (isStream) collect(piece);
      else count(piece);
      if (!isGood) return sink.end(last);
      kept = keepWhole(piece).finally(() => sink.end(last));
    },
    destroy: () => sink.destroy(),
    watch: (watcher) => sink.watch(watcher),
  };
}
