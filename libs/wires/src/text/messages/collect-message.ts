import { isRecord, type JsonRecord, parseRecord } from "@modelgate/formats/json";
import type { AnswerCollector } from "../hub/wire.ts";

/** Members of a block to which deltas add text, by the type of the delta. */
const textMembers: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  compaction_delta: "content",
};

interface OpenBlock {
  readonly block: JsonRecord;
  readonly pieces: Map<string, string[]>;
  readonly citations: unknown[];
}

/** Assembles a message from the events of its stream. */
export class MessageCollector implements AnswerCollector {
  readonly #blocks = new Map<unknown, OpenBlock>();
  #start: JsonRecord | undefined;
  #isComplete = false;

  get answer(): JsonRecord | undefined {
    if (!this.#isComplete || this.#start === undefined) return undefined;
    return { ...this.#start, content: [...this.#blocks.values()].map(wholeBlock) };
  }

  add(event: JsonRecord): void {
    const { type, index, message, content_block: block, delta } = event;
    if (type === "message_start" && isRecord(message)) this.#start = message;
    if (type === "content_block_start" && isRecord(block))
      this.#blocks.set(index, { block, pieces: new Map(), citations: [] });
    if (type === "content_block_delta" && isRecord(delta)) this.#add(this.#blocks.get(index), delta);
    if (type === "message_stop") this.#isComplete = true;
  }

  #add(open: OpenBlock | undefined, delta: JsonRecord): void {
    const { type, partial_json: json, citation } = delta;
    if (open === undefined || typeof type !== "string") return;
    if (type === "citations_delta") open.citations.push(citation);
    const member = type === "input_json_delta" ? "input" : textMembers[type];
    const piece = type === "input_json_delta" ? json : delta[member ?? ""];
    if (member === undefined || typeof piece !== "string") return;
    const pieces = open.pieces.get(member) ?? [];
    pieces.push(piece);
    open.pieces.set(member, pieces);
  }
}

function wholeBlock({ block, pieces, citations }: OpenBlock): JsonRecord {
  const collected: Record<string, unknown> = { ...block };
  for (const [member, added] of pieces) {
    const text = added.join("");
    const previousText = block[member];
    collected[member] =
      member === "input" ? (parseRecord(text) ?? {}) : `${typeof previousText === "string" ? previousText : ""}${text}`;
  }
  return citations.length === 0 ? collected : { ...collected, citations };
}
