import type { Outcome } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { responseUsage } from "../gemini-live/response-writer.ts";
import type { SeenEvent } from "../inspect.ts";
import { responseUnits } from "../usage.ts";

/**
 * Derives the bill from the messages of a live vendor: where its responses begin and end, and the usage of each. A
 * response ends with its turn, or with calls that the client answers, and is asked for anew by that answer.
 */
export class LiveTally {
  readonly #sessionId: string;
  readonly #calls = new Set<string>();
  #seen: SeenEvent[] = [];
  #response: string | undefined;
  #usage: unknown;
  #interrupted = false;
  #responses = 0;
  #asked = 0;
  /** Asked for before the response that is under way began: it answers them too, unless it is interrupted. */
  #askedBefore = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** Responses that were asked for and have not begun. */
  get asked(): number {
    return this.#asked;
  }

  /** A response was asked for. */
  ask(): void {
    this.#asked++;
  }

  /** The client answers calls; true where the vendor now waits for none. */
  answered(results: readonly JsonRecord[]): boolean {
    for (const { id } of results) this.#calls.delete(String(id));
    return this.#calls.size === 0;
  }

  /** A message of the vendor's. */
  take(message: JsonRecord): readonly SeenEvent[] {
    const { usageMetadata: usage, serverContent: content, toolCall, toolCallCancellation: cancelled } = message;
    if (isRecord(usage)) this.#usage = usage;
    if (isRecord(content)) this.#content(content);
    if (isRecord(toolCall)) this.#toolCall(toolCall);
    if (isRecord(cancelled) && Array.isArray(cancelled["ids"]))
      for (const id of cancelled["ids"]) this.#calls.delete(String(id));
    const seen = this.#seen;
    this.#seen = [];
    return seen;
  }

  #content(content: JsonRecord): void {
    const { modelTurn: turn, outputTranscription: spoken } = content;
    if (content["interrupted"] === true) this.#interrupted = true;
    const parts = isRecord(turn) && Array.isArray(turn["parts"]) ? turn["parts"].filter(isRecord) : [];
    for (const part of parts) this.#part(part);
    if (isRecord(spoken)) this.#spoke(0, bytesIn(spoken["text"]));
    if (content["turnComplete"] === true) this.#ended();
  }

  #part({ text, inlineData }: JsonRecord): void {
    const data = isRecord(inlineData) ? inlineData["data"] : undefined;
    this.#spoke((bytesIn(data) * 3) / 4, bytesIn(text));
  }

  #spoke(audioBytes: number, textBytes: number): void {
    this.#begin();
    if (audioBytes + textBytes > 0) this.#seen.push({ kind: "delta", audioBytes, textBytes });
  }

  #toolCall({ functionCalls }: JsonRecord): void {
    const calls = Array.isArray(functionCalls) ? functionCalls.filter(isRecord) : [];
    for (const { id } of calls) this.#calls.add(String(id));
    this.#spoke(0, bytesIn(JSON.stringify(calls)));
    this.#ended();
  }

  #begin(): string {
    if (this.#response !== undefined) return this.#response;
    const id = `resp_${this.#sessionId}${(++this.#responses).toString(36)}`;
    this.#response = id;
    this.#asked = Math.max(0, this.#asked - 1);
    this.#askedBefore = this.#asked;
    this.#seen.push({ kind: "response-begun", id });
    return id;
  }

  #ended(): void {
    const usage = this.#usage;
    // A turn without a word that was paid for is a response too.
    const id = this.#response ?? (usage === undefined && this.#asked === 0 ? undefined : this.#begin());
    if (id === undefined) return;
    const outcome: Outcome = this.#interrupted ? "cancelled" : "completed";
    // What interrupts an answer is answered by another one.
    if (!this.#interrupted) this.#asked = Math.max(0, this.#asked - this.#askedBefore);
    this.#askedBefore = 0;
    this.#response = undefined;
    this.#usage = undefined;
    this.#interrupted = false;
    this.#seen.push({ kind: "response-done", id, units: responseUnits(responseUsage(usage)), outcome });
  }
}

function bytesIn(text: unknown): number {
  return typeof text === "string" ? Buffer.byteLength(text) : 0;
}
