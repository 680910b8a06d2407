import type { AnswerSink } from "@modelgate/platform";
import { parseRecord } from "@modelgate/wires/json";
import { MessageCollector, type JsonObject } from "@modelgate/wires/text";

/** Called with a complete message before its client has the last part. Never rejects. */
type KeepMessage = (id: string, message: JsonObject) => Promise<void>;

/**
 * Returns a sink that stores the complete message before it sends the last part, so that the client can continue the
 * thread immediately.
 */
export function keepingAnswer(sink: AnswerSink, maxBytes: number, keep: KeepMessage): AnswerSink {
  const streamed = new MessageCollector(maxBytes);
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
