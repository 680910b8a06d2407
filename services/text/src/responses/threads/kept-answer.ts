import type { AnswerSink } from "@modelgate/platform";
import { parseRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Stores a complete answer before its client has received the last part. Never rejects. */
type KeepAnswer = (id: string, answer: JsonObject) => Promise<void>;

/** Assembles a complete answer from the bytes of its stream. */
export interface AnswerCollector {
  push(bytes: Buffer): void;
  /** Returns the answer; undefined if the stream did not end normally, or was too long. */
  message(): JsonObject | undefined;
}

/**
 * Wraps a sink so that the complete answer is stored before the client receives its last part. The client can then
 * refer to it immediately. `streamed` assembles the answer of a stream. A streamed answer is limited by it, any other
 * answer by `maxBytes`; a longer one is not stored.
 */
export function keepingAnswer(
  sink: AnswerSink,
  {
    maxBytes,
    streamed,
    keep,
  }: { readonly maxBytes: number; readonly streamed: AnswerCollector; readonly keep: KeepAnswer },
): AnswerSink {
  let isStream = false;
  let isGood = false;
  const messageIn = (last: Buffer | string | undefined): JsonObject | undefined => {
    if (!isGood) return undefined;
    if (!isStream) return last === undefined || last.length > maxBytes ? undefined : parseRecord(last.toString());
    if (last !== undefined) streamed.push(Buffer.from(last));
    return streamed.message();
  };
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
    setHeader: (name, value) => sink.setHeader(name, value),
    announceTrailer: (name) => sink.announceTrailer(name),
    addTrailer: (name, value) => sink.addTrailer(name, value),
    begin(status, headers) {
      isGood = status === 200;
      isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
      sink.begin(status, headers);
    },
    write(piece) {
      if (isStream) streamed.push(Buffer.from(piece));
      return sink.write(piece);
    },
    end(last) {
      const message = messageIn(last);
      const id = message?.["id"];
      if (message === undefined || typeof id !== "string") return sink.end(last);
      void keep(id, message).then(() => sink.end(last));
    },
    destroy: () => sink.destroy(),
    watch: (watcher) => sink.watch(watcher),
  };
}
