import { parseRecord } from "@modelgate/wires/json";
import { SseDecoder } from "@modelgate/wires/sse";
import { InteractionCollector, type JsonObject } from "@modelgate/wires/text";
import { isOver, type AnswerCollector } from "../responses/index.ts";

/** Assembles an interaction from the bytes of its event stream. */
export class InteractionBytes implements AnswerCollector {
  readonly #decoder = new SseDecoder();
  readonly #collector = new InteractionCollector();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds bytes of the stream. If the stream exceeds the maximum size, there is no interaction. */
  push(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) return;
    for (const { data } of this.#decoder.push(bytes)) this.#collector.take(parseRecord(data) ?? {});
  }

  message(): JsonObject | undefined {
    const { interaction, steps } = this.#collector;
    if (interaction === undefined || !isOver(interaction) || this.#bytes > this.#maxBytes) return undefined;
    return { ...interaction, steps };
  }
}
