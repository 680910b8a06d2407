import { Failure, type CallStatus } from "@modelgate/contracts";
import { isRecord, asRecord, asRecords, type JsonRecord } from "@modelgate/formats/json";
import type { BridgedMessages, ClientEvent, RealtimeBridge, RealtimeNames, SessionState } from "../hub/bridge.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../hub/message.ts";
import { interruptMessage } from "./vendor-bridge.ts";
import { modelResourceOf } from "./vendor-settings.ts";
import { addInput, noInput, textBytesPerImage, utf8Bytes, responseUnits } from "../hub/inspect.ts";
import type { ModelInput, SeenEvent } from "../hub/inspect.ts";
import { toCamelCase, liveMessagesOf, type LiveMessage } from "./client-message.ts";
import { checkSetup, setupMarksTurns, noHandleMessage, requestsHandles } from "./client-setup.ts";
import { defaultRate, parseSampleRate, sampleBytes } from "./client-sound.ts";
import { responseUsage } from "./vendor-response.ts";

const createResponse = "response.create";
const createItem = "conversation.item.create";
const imageInput: ModelInput = { audioBytes: 0, textBytes: textBytesPerImage };

/** Connects a Live API client to a vendor of the same format. */
export class LivePassBridge implements RealtimeBridge {
  readonly vendorSpeaksFirst = false;
  readonly #names: RealtimeNames;
  readonly #tally: LiveTally;
  #setup: JsonRecord | undefined;
  #rate = defaultRate;
  readonly #requests = new WeakSet<RealtimeMessage>();
  /** True if the client has ended a turn of speech, which the vendor answers without a request. */
  #turnEnded = false;
  #stopped = false;

  constructor(names: RealtimeNames) {
    this.#names = names;
    this.#tally = new LiveTally(names.sessionId);
  }

  get state(): SessionState {
    const { pending } = this.#tally;
    return {
      input: { bytesPerSecond: this.#rate * sampleBytes, detectsTurns: !setupMarksTurns(this.#setup ?? {}) },
      pendingResponses: pending,
      isPending: pending > 0 || (this.#stopped && this.#turnEnded),
    };
  }

  read(message: RealtimeMessage): readonly ClientEvent[] {
    return liveMessagesOf(message).map((each) => this.#event(each));
  }

  open(): BridgedMessages {
    return { toClient: [], toVendor: [], seen: [] };
  }

  fromClient(message: RealtimeMessage): BridgedMessages {
    if (this.#requests.delete(message)) this.#tally.request();
    return { toClient: [], toVendor: [message], seen: [] };
  }

  fromVendor(message: RealtimeMessage): BridgedMessages {
    const body = parseEvent(message.data) ?? {};
    const seen = this.#tally.inspect(body);
    if (seen.some(({ kind }) => kind === "response-begun")) this.#turnEnded = false;
    const more =
      isRecord(body["setupComplete"]) && requestsHandles(this.#setup ?? {}) ? [eventMessage(noHandleMessage)] : [];
    return { toClient: [message, ...more], toVendor: [], seen };
  }

  /** The vendor answers an ended turn in any case. The caller cancels that answer. */
  stop(): readonly RealtimeMessage[] {
    this.#stopped = true;
    return [];
  }

  cancel(): readonly RealtimeMessage[] {
    return [eventMessage(interruptMessage)];
  }

  #event(live: LiveMessage): ClientEvent {
    if ((live.kind === "setup") !== (this.#setup === undefined))
      throw new Failure("invalid_value", "The first message must be setup, and setup can be sent only once.");
    const { body, type, input } = this.#forward(live);
    const message = eventMessage(body);
    if (type === createResponse) this.#requests.add(message);
    return { message, type, input };
  }

  #forward(live: LiveMessage) {
    const { checkStores } = this.#names;
    switch (live.kind) {
      case "setup": {
        const setup = checkSetup(live.setup, this.#names.allowsVendorTools);
        checkStores?.(setup);
        this.#setup = live.setup;
        const input = textInput([live.setup["systemInstruction"], live.setup["tools"]]);
        const body = { setup: { ...setup, model: modelResourceOf(this.#names.upstreamModel) } };
        return { body, type: "session.update", input };
      }
      case "content": {
        const { turns, complete } = live;
        checkStores?.({ contents: turns });
        const input = turns.map(measureTurn).reduce(addInput, noInput);
        const body = { clientContent: { turns, turnComplete: complete } };
        return { body, type: complete ? createResponse : createItem, input };
      }
      case "results": {
        const { results } = live;
        checkStores?.({ contents: results });
        const isLast = this.#tally.answerCalls(results);
        const body = { toolResponse: { functionResponses: results } };
        return { body, type: isLast ? createResponse : createItem, input: textInput(results) };
      }
      case "audio": {
        this.#rate = parseSampleRate(live.blob.mimeType);
        const input = { audioBytes: bytesOfBase64(live.blob.data), textBytes: 0 };
        return { body: { realtimeInput: { audio: live.blob } }, type: "input_audio_buffer.append", input };
      }
      case "picture":
        return { body: { realtimeInput: { video: live.blob } }, type: createItem, input: imageInput };
      case "text": {
        const input = { audioBytes: 0, textBytes: Buffer.byteLength(live.text) };
        return { body: { realtimeInput: { text: live.text } }, type: createResponse, input };
      }
      case "activity-start":
        return { body: { realtimeInput: { activityStart: {} } }, type: createItem, input: noInput };
      case "activity-end":
        return { body: { realtimeInput: { activityEnd: {} } }, type: createResponse, input: noInput };
      case "stream-end":
      default:
        this.#turnEnded = true;
        return { body: { realtimeInput: { audioStreamEnd: true } }, type: createItem, input: noInput };
    }
  }
}

function measureTurn({ parts }: JsonRecord): ModelInput {
  const listed: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  return listed.filter(isRecord).map(toCamelCase).map(measurePart).reduce(addInput, noInput);
}

function measurePart(part: JsonRecord): ModelInput {
  const { text, inlineData } = part;
  if (typeof text === "string") return { audioBytes: 0, textBytes: Buffer.byteLength(text) };
  if (!isRecord(inlineData)) return textInput(part);
  const { mimeType, data } = toCamelCase(inlineData);
  if (typeof mimeType !== "string" || !mimeType.startsWith("audio/")) return imageInput;
  return { audioBytes: bytesOfBase64(data), textBytes: 0 };
}

function textInput(value: unknown): ModelInput {
  return { audioBytes: 0, textBytes: Buffer.byteLength(JSON.stringify(value) ?? "") };
}

function bytesOfBase64(data: unknown): number {
  return typeof data === "string" ? (data.length * 3) / 4 : 0;
}

/** Derives the events for billing from the vendor's messages. */
export class LiveTally {
  readonly #sessionId: string;
  readonly #calls = new Set<string>();
  #seen: SeenEvent[] = [];
  #response: string | undefined;
  #usage: unknown;
  #interrupted = false;
  #responses = 0;
  #pending = 0;
  /** Number of requests that were pending when the current response began. */
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

  /** Records results of tool calls. Returns true if no other result is missing. */
  answerCalls(results: readonly JsonRecord[]): boolean {
    for (const { id } of results) this.#calls.delete(String(id));
    return this.#calls.size === 0;
  }

  inspect(message: JsonRecord): readonly SeenEvent[] {
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
      this.#addOutput((utf8Bytes(asRecord(inlineData)["data"]) * 3) / 4, utf8Bytes(text));
    const { outputTranscription: transcription } = content;
    if (isRecord(transcription)) this.#addOutput(0, utf8Bytes(transcription["text"]));
    if (content["turnComplete"] === true) this.#ended();
  }

  #addOutput(audioBytes: number, textBytes: number): void {
    this.#begin();
    if (audioBytes + textBytes > 0) this.#seen.push({ kind: "delta", audioBytes, textBytes });
  }

  #toolCall({ functionCalls }: JsonRecord): void {
    const calls = asRecords(functionCalls);
    for (const { id } of calls) this.#calls.add(String(id));
    this.#addOutput(0, utf8Bytes(JSON.stringify(calls)));
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
    // A turn without content is a response if it was requested or if it has usage.
    const id = this.#response ?? (usage === undefined && this.#pending === 0 ? undefined : this.#begin());
    if (id === undefined) return;
    const callStatus: CallStatus = this.#interrupted ? "cancelled" : "completed";
    // After an interruption, the interrupting input gets a response too.
    if (!this.#interrupted) this.#pending = Math.max(0, this.#pending - this.#pendingBefore);
    this.#pendingBefore = 0;
    this.#response = undefined;
    this.#usage = undefined;
    this.#interrupted = false;
    this.#seen.push({ kind: "response-done", id, units: responseUnits(responseUsage(usage)), callStatus });
  }
}
