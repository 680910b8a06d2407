import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { BridgedMessages, ClientEvent, RealtimeBridge, RealtimeNames, SessionState } from "../hub/bridge.ts";
import { interruptMessage } from "./vendor-bridge.ts";
import { resourceOf } from "./vendor-settings.ts";
import { addInput, noInput, textBytesPerImage, type ModelInput } from "../hub/inspect.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../hub/message.ts";
import { toCamelCase, liveMessagesOf, type LiveMessage } from "./client-message.ts";
import { checkSetup, isManual, noHandleMessage, requestsHandles } from "./client-setup.ts";
import { defaultRate, parseSampleRate, sampleBytes } from "./client-sound.ts";
import { LiveTally } from "./pass-tally.ts";

const createResponse = "response.create";
const createItem = "conversation.item.create";
const imageInput: ModelInput = { audioBytes: 0, textBytes: textBytesPerImage };

/** Connects both sides of the live format. The client's messages are rendered again; `LiveTally` has the bill. */
export class LivePassBridge implements RealtimeBridge {
  readonly greets = false;
  readonly #names: RealtimeNames;
  readonly #tally: LiveTally;
  #setup: JsonRecord | undefined;
  #rate = defaultRate;
  /** Queued messages to the vendor that request a response. */
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
      input: { bytesPerSecond: this.#rate * sampleBytes, detectsTurns: !isManual(this.#setup ?? {}) },
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
    const seen = this.#tally.take(body);
    if (seen.some(({ kind }) => kind === "response-begun")) this.#turnEnded = false;
    const more =
      isRecord(body["setupComplete"]) && requestsHandles(this.#setup ?? {}) ? [eventMessage(noHandleMessage)] : [];
    return { toClient: [message, ...more], toVendor: [], seen };
  }

  /** Returns no message: nothing keeps the vendor from answering an ended turn. The caller cancels that answer. */
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

  /** Renders a message for the vendor. A message that the vendor answers counts as a request for a response. */
  #forward(live: LiveMessage) {
    const { checkStores } = this.#names;
    switch (live.kind) {
      case "setup": {
        const setup = checkSetup(live.setup, this.#names.vendorTools);
        checkStores?.(setup);
        this.#setup = live.setup;
        // Every response reads instructions and tools.
        const input = textInput([live.setup["systemInstruction"], live.setup["tools"]]);
        const body = { setup: { ...setup, model: resourceOf(this.#names.upstreamModel) } };
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
