import type { CallStatus } from "@modelgate/contracts";
import { isRecord, asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import { responseUsage } from "./vendor-response.ts";
import { utf8Bytes, type SeenEvent } from "../hub/inspect.ts";
import { responseUnits } from "../hub/usage.ts";

/** Derives billing events. A response ends with the model's turn or with calls, whose results request the next. */
export class LiveTally {
  readonly #sessionId: string;
  readonly #calls = new Set<string>();
  #seen: SeenEvent[] = [];
  #response: string | undefined;
  #usage: unknown;
  #interrupted = false;
  #responses = 0;
  #pending = 0;
  /** Number of requests still pending when the current response began. An uninterrupted response answers them too. */
  #pendingBefore = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get pending(): number {
    return this.#pending;
  }

  request(): void {
    this.#pending++;
  }

  /** Records that the client sent results of tool calls. Returns true if all tool calls now have results. */
  answerCalls(results: readonly JsonRecord[]): boolean {
    for (const { id } of results) this.#calls.delete(String(id));
    return this.#calls.size === 0;
  }

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
    if (content["interrupted"] === true) this.#interrupted = true;
    for (const { text, inlineData } of asRecords(asRecord(content["modelTurn"])["parts"]))
      this.#spoke((utf8Bytes(asRecord(inlineData)["data"]) * 3) / 4, utf8Bytes(text));
    const { outputTranscription: transcription } = content;
    if (isRecord(transcription)) this.#spoke(0, utf8Bytes(transcription["text"]));
    if (content["turnComplete"] === true) this.#ended();
  }

  #spoke(audioBytes: number, textBytes: number): void {
    this.#begin();
    if (audioBytes + textBytes > 0) this.#seen.push({ kind: "delta", audioBytes, textBytes });
  }

  #toolCall({ functionCalls }: JsonRecord): void {
    const calls = asRecords(functionCalls);
    for (const { id } of calls) this.#calls.add(String(id));
    this.#spoke(0, utf8Bytes(JSON.stringify(calls)));
    this.#ended();
  }

  #begin(): string {
    if (this.#response !== undefined) return this.#response;
    const id = `resp_${this.#sessionId}${(++this.#responses).toString(36)}`;
    this.#response = id;
    this.#pending = Math.max(0, this.#pending - 1);
    this.#pendingBefore = this.#pending;
    this.#seen.push({ kind: "response-begun", id });
    return id;
  }

  #ended(): void {
    const usage = this.#usage;
    // A turn without content counts as a response if it was requested or has usage.
    const id = this.#response ?? (usage === undefined && this.#pending === 0 ? undefined : this.#begin());
    if (id === undefined) return;
    const ended: CallStatus = this.#interrupted ? "cancelled" : "completed";
    // If this response was interrupted, the input that interrupted it gets another response.
    if (!this.#interrupted) this.#pending = Math.max(0, this.#pending - this.#pendingBefore);
    this.#pendingBefore = 0;
    this.#response = undefined;
    this.#usage = undefined;
    this.#interrupted = false;
    this.#seen.push({ kind: "response-done", id, units: responseUnits(responseUsage(usage)), ended });
  }
}
