import { Failure, withoutUndefined } from "@modelgate/contracts";
import { isRecord, type JsonRecord, ownEntry, parseRecord, asText } from "@modelgate/formats/json";
import type { Frame } from "@modelgate/formats/sse";
import { parseFinishReason, notJsonFailure, reportEvents, type TextEvent } from "../hub/answer.ts";
import type { StreamReader } from "../hub/wire.ts";
import { PartTracker } from "../hub/part-tracker.ts";
import { finishReasons, converseFees, readStopSequence, imagePart, parseCitation, converseUsage } from "./answer.ts";
import { redactedSignature, parseSignature } from "./turns.ts";

/** Maximum buffered characters of blocks that are emitted complete. */
const maxBufferedCharacters = 16 * 2 ** 20;

interface BufferedBlock {
  signature: string;
  redacted: string[];
  format: string;
  image: string[];
}

type ConverseHandler = (event: JsonRecord) => readonly TextEvent[];

/** Reads a vendor's stream. */
export class ConverseReader implements StreamReader {
  readonly #tracker = new PartTracker(0);
  readonly #buffered = new Map<string, BufferedBlock>();
  readonly #calls = new Set<string>();
  #bufferedCharacters = 0;
  isComplete = false;
  done = false;
  readonly #on: Readonly<Record<string, ConverseHandler>> = {
    messageStart: () => [{ type: "start", id: "", model: "", createdAt: 0 }],
    contentBlockStart: ({ contentBlockIndex: at, start }) => (isRecord(start) ? this.#begin(String(at), start) : []),
    contentBlockDelta: ({ contentBlockIndex: at, delta }) => (isRecord(delta) ? this.#addDelta(String(at), delta) : []),
    contentBlockStop: ({ contentBlockIndex: at }) => this.#end(String(at)),
    messageStop: (event) => this.#stop(event),
    metadata: (event) => this.#report(event),
    failure: ({ code, message }) => [failureOf(asText(code), asText(message))],
  };

  read({ data }: Frame): readonly TextEvent[] {
    const event = parseRecord(data);
    if (event === undefined) return notJsonFailure;
    return Object.entries(event).flatMap(([type, payload]) =>
      isRecord(payload) ? (ownEntry(this.#on, type)?.(payload) ?? []) : [],
    );
  }

  end(): readonly TextEvent[] {
    return this.#tracker.endAll();
  }

  #begin(key: string, { toolUse, image }: JsonRecord): readonly TextEvent[] {
    if (isRecord(image)) this.#bufferOf(key).format = asText(image["format"]);
    if (!isRecord(toolUse)) return [];
    this.#calls.add(key);
    const { toolUseId, name } = toolUse;
    return this.#tracker.start(key, { kind: "tool-call", id: asText(toolUseId), name: asText(name) });
  }

  #addDelta(key: string, delta: JsonRecord): readonly TextEvent[] {
    const { text, toolUse, reasoningContent, citation, image } = delta;
    if (typeof text === "string") return this.#addText(key, "text", text);
    if (isRecord(toolUse)) return this.#tracker.delta(key, asText(toolUse["input"]));
    if (isRecord(reasoningContent)) return this.#addReasoning(key, reasoningContent);
    if (isRecord(image) && isRecord(image["source"]))
      this.#addToBuffer(this.#bufferOf(key).image, image["source"]["bytes"]);
    const part = citation === undefined ? undefined : this.#tracker.numberOf(key);
    if (part === undefined) return [];
    return parseCitation(citation).map((each) => ({ type: "citation", choice: 0, part, citation: each }));
  }

  #addText(key: string, kind: "text" | "reasoning", text: string): readonly TextEvent[] {
    return text === "" ? [] : [...this.#tracker.start(key, { kind }), ...this.#tracker.delta(key, text)];
  }

  #addReasoning(key: string, { text, signature, redactedContent }: JsonRecord): readonly TextEvent[] {
    if (typeof signature === "string") this.#bufferOf(key).signature += signature;
    if (redactedContent !== undefined) this.#addToBuffer(this.#bufferOf(key).redacted, redactedContent);
    return this.#addText(key, "reasoning", asText(text));
  }

  #bufferOf(key: string): BufferedBlock {
    const buffered = this.#buffered.get(key) ?? { signature: "", redacted: [], format: "", image: [] };
    this.#buffered.set(key, buffered);
    return buffered;
  }

  #addToBuffer(pieces: string[], piece: unknown): void {
    const text = asText(piece);
    this.#bufferedCharacters += text.length;
    if (this.#bufferedCharacters > maxBufferedCharacters)
      throw new Failure("upstream_error", "A vendor's block is too large.");
    pieces.push(text);
  }

  #end(key: string): readonly TextEvent[] {
    const buffered = this.#buffered.get(key);
    this.#buffered.delete(key);
    // A call without arguments has no delta.
    const empty = this.#calls.has(key) && !this.#tracker.hasText(key) ? this.#tracker.delta(key, "{}") : [];
    if (buffered === undefined) return [...empty, ...this.#tracker.end(key)];
    const { redacted, format, image } = buffered;
    if (redacted.length > 0)
      return this.#tracker.whole({ kind: "reasoning", text: "", signature: redactedSignature(joinBase64(redacted)) });
    if (image.length > 0) return this.#tracker.whole(imagePart(format, joinBase64(image)));
    // Reasoning without visible text has a signature too.
    const signature = parseSignature(buffered.signature);
    return signature === undefined || this.#tracker.isOpen(key)
      ? this.#tracker.end(key, signature)
      : this.#tracker.whole({ kind: "reasoning", text: "", signature });
  }

  #stop({ stopReason, additionalModelResponseFields: fields }: JsonRecord): readonly TextEvent[] {
    if (this.isComplete) return [];
    this.isComplete = true;
    const stopSequence = readStopSequence(fields);
    const ended = [...this.#buffered.keys()].flatMap((key) => this.#end(key));
    return [
      ...ended,
      ...this.#tracker.endAll(),
      withoutUndefined({
        type: "finish",
        choice: 0,
        reason: parseFinishReason(finishReasons, stopReason, this.#tracker.kinds),
        stopSequence,
      }),
    ];
  }

  #report(event: JsonRecord): readonly TextEvent[] {
    this.done = this.isComplete;
    return reportEvents(converseUsage(event["usage"]), converseFees(event));
  }
}

/** Joins pieces of Base64, each of which was encoded separately. */
function joinBase64(pieces: readonly string[]): string {
  const [only = ""] = pieces;
  if (pieces.length === 1) return only;
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64"))).toString("base64");
}

/** HTTP statuses of the vendor's exceptions, as it sends them outside of streams. */
const statusByException: Readonly<Record<string, number>> = {
  validationException: 400,
  throttlingException: 429,
  internalServerException: 500,
  modelStreamErrorException: 500,
  serviceUnavailableException: 503,
  modelTimeoutException: 504,
};

function failureOf(code: string, message: string): TextEvent {
  const status = ownEntry(statusByException, code);
  return withoutUndefined({ type: "failure", code, message, status });
}
