import { isRecord, type JsonRecord, asText, parseRecord } from "@modelgate/formats/json";
import type { TextEvent } from "../hub/answer.ts";
import type { PartTracker } from "../hub/part-tracker.ts";
import type { Signature } from "../hub/part.ts";
import { callId } from "../hub/tool-calls.ts";
import { readExtraContent, maxDetails, detailsSignature } from "./reasoning-details.ts";

/** Maximum characters of a call's arguments that are stored in order to detect their end. */
const maxStoredCharacters = 2 ** 20;

interface StreamedCall {
  readonly key: string;
  id: string;
  name: string;
  readonly custom: boolean;
  readonly pieces: string[];
  characters: number;
  signature: Signature | undefined;
}

/**
 * Reads the tool calls of one choice. A new index begins a call. Some vendors send no index or a wrong one, so a piece
 * with a name also begins a call if its id differs from the previous one, or, if one of the ids is missing, if it has no
 * index.
 */
export class CallReader {
  readonly #tracker: PartTracker;
  readonly #path: readonly (string | number)[];
  readonly #open = new Map<string, StreamedCall>();
  readonly #latest = new Map<unknown, StreamedCall>();
  #count = 0;

  constructor(tracker: PartTracker, path: readonly (string | number)[]) {
    this.#tracker = tracker;
    this.#path = path;
  }

  isNew(piece: JsonRecord): boolean {
    const previous = this.#latest.get(piece["index"]);
    const { id, name } = parseCallHead(piece);
    if (previous === undefined) return true;
    if (id !== "" && previous.id !== "") return name !== "" && id !== previous.id;
    return typeof piece["index"] !== "number" && name !== "";
  }

  add(piece: JsonRecord): readonly TextEvent[] {
    const call = this.#callOf(piece);
    call.signature = readExtraContent(piece["extra_content"], "chat") ?? call.signature;
    const { id, name, text } = parseCallHead(piece);
    if (call.id === "") call.id = id;
    if (call.name === "") call.name = name;
    call.characters += text.length;
    if (call.characters <= maxStoredCharacters || !this.#tracker.isOpen(call.key)) call.pieces.push(text);
    if (this.#tracker.isOpen(call.key)) return this.#tracker.delta(call.key, text);
    return call.name === "" || !this.#open.has(call.key) ? [] : this.#start(call);
  }

  /** Ends the calls whose arguments are complete, when another part begins. */
  endComplete(): readonly TextEvent[] {
    return [...this.#open.values()].filter(isCompleteCall).flatMap((call) => this.#end(call));
  }

  /** Ends all calls. A call without a name is dropped. */
  end(): readonly TextEvent[] {
    return [...this.#open.values()].flatMap((call) => this.#end(call));
  }

  #callOf(piece: JsonRecord): StreamedCall {
    const previous = this.#latest.get(piece["index"]);
    if (previous !== undefined && !this.isNew(piece)) return previous;
    const key = `call:${this.#count++}`;
    const custom = isRecord(piece["custom"]);
    const call: StreamedCall = { key, id: "", name: "", custom, pieces: [], characters: 0, signature: undefined };
    this.#open.set(key, call);
    this.#latest.set(piece["index"], call);
    return call;
  }

  #start(call: StreamedCall): readonly TextEvent[] {
    const { key, name, custom, pieces } = call;
    if (call.id === "") call.id = callId(...this.#path, Number(key.slice("call:".length)), name);
    const opened = { kind: "tool-call", id: call.id, name } as const;
    const started = this.#tracker.start(key, custom ? { ...opened, custom } : opened);
    return [...started, ...this.#tracker.delta(key, pieces.join(""))];
  }

  #end(call: StreamedCall): readonly TextEvent[] {
    this.#open.delete(call.key);
    return this.#tracker.end(call.key, call.signature);
  }
}

function parseCallHead(piece: JsonRecord) {
  const definition = isRecord(piece["custom"]) ? piece["custom"] : piece["function"];
  if (!isRecord(definition)) return { id: asText(piece["id"]), name: "", text: "" };
  const argumentsValue: unknown = definition["arguments"] ?? definition["input"];
  return {
    id: asText(piece["id"]),
    name: asText(definition["name"]),
    text: isRecord(argumentsValue) ? JSON.stringify(argumentsValue) : asText(argumentsValue),
  };
}

function isCompleteCall({ characters, pieces }: StreamedCall): boolean {
  return characters > 0 && characters <= maxStoredCharacters && parseRecord(pieces.join("")) !== undefined;
}

/** Maximum characters of a vendor's details that become a signature. */
const maxDetailCharacters = 8 * 2 ** 20;

/** Members of a detail that arrive in pieces. */
const streamedMembers = ["text", "summary", "data", "signature"] as const;

/** Joins the pieces of a vendor's `reasoning_details`. */
export class DetailReader {
  #details: JsonRecord[] = [];
  #characters = 0;

  add(detail: JsonRecord): void {
    for (const name of streamedMembers) this.#characters += asText(detail[name]).length;
    const last = this.#details.at(-1);
    if (last !== undefined && last["type"] === detail["type"] && last["index"] === detail["index"])
      this.#details[this.#details.length - 1] = joinDetails(last, detail);
    else this.#details.push(detail);
  }

  take(): Signature | undefined {
    const fits = this.#characters <= maxDetailCharacters && this.#details.length <= maxDetails;
    const signature = fits && this.#details.length > 0 ? detailsSignature(this.#details) : undefined;
    this.#details = [];
    this.#characters = 0;
    return signature;
  }
}

function joinDetails(last: JsonRecord, next: JsonRecord): JsonRecord {
  const present = Object.entries(next).filter(([, value]) => value !== null && value !== undefined);
  const merged = { ...last, ...Object.fromEntries(present) };
  for (const name of streamedMembers) {
    const [before, after] = [last[name], next[name]];
    if (typeof before === "string" && typeof after === "string") merged[name] = before + after;
  }
  return merged;
}

const maxSpeechBytes = 24 * 2 ** 20;

/** Joins the pieces of a stream's speech, because no other wire streams speech in pieces. */
export class AudioReader {
  readonly #pieces: Buffer[] = [];
  readonly #transcript: string[] = [];
  #bytes = 0;
  #head: JsonRecord | undefined;

  add({ data, transcript, ...head }: JsonRecord): void {
    this.#head = { ...this.#head, ...head };
    if (typeof transcript === "string") this.#transcript.push(transcript);
    const piece = typeof data === "string" ? Buffer.from(data, "base64") : Buffer.alloc(0);
    if (this.#bytes + piece.length > maxSpeechBytes) return;
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }

  take(): JsonRecord | undefined {
    if (this.#head === undefined) return undefined;
    const data = Buffer.concat(this.#pieces).toString("base64");
    const audio = { ...this.#head, data, transcript: this.#transcript.join("") };
    this.#head = undefined;
    return audio;
  }
}
