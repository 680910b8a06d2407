import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { Bridged, ClientEvent, InputFormat, RealtimeBridge, RealtimeNames } from "../bridge.ts";
import { resourceOf } from "../gemini-live/settings.ts";
import { pictureTextBytes, type ModelInput } from "../inspect.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../message.ts";
import { checkedSetup, hasOwnTurns, noHandles, wantsHandles } from "./check-setup.ts";
import { camel, isSetupComplete, liveMessagesOf, type LiveMessage } from "./message.ts";
import { rateOf, usualRate } from "./sound.ts";
import { LiveTally } from "./tally.ts";

/** Content of the client's interrupts the vendor; there is no other word for it. */
const interruption = { clientContent: { turns: [], turnComplete: false } };
/** Bytes of a sample. */
const sampleBytes = 2;

/**
 * A client and a vendor of the live format: the vendor's messages pass as they come, the client's as they were read. The
 * name of the model is replaced; what is charged is tallied beside.
 */
export function livePassBridge(names: RealtimeNames): RealtimeBridge {
  return new LivePassBridge(names);
}

class LivePassBridge implements RealtimeBridge {
  readonly greets = false;
  /** The vendor writes by itself, as a part of its answers. */
  readonly transcriber = undefined;
  readonly nextTranscriber = undefined;
  readonly #names: RealtimeNames;
  readonly #tally: LiveTally;
  #setup: JsonRecord | undefined;
  #rate = usualRate;
  /** Messages on their way to the vendor that ask for a response. */
  readonly #asking = new WeakSet<RealtimeMessage>();
  /** The client has ended a turn of speech, which the vendor answers by itself. */
  #turnEnded = false;
  #stopped = false;

  constructor(names: RealtimeNames) {
    this.#names = names;
    this.#tally = new LiveTally(names.sessionId);
  }

  read(message: RealtimeMessage): readonly ClientEvent[] {
    return liveMessagesOf(message).map((said) => this.#event(said));
  }

  open(): Bridged {
    return { toClient: [], toVendor: [], seen: [] };
  }

  fromClient(message: RealtimeMessage): Bridged {
    if (this.#asking.delete(message)) this.#tally.ask();
    return { toClient: [], toVendor: [message], seen: [] };
  }

  fromVendor(message: RealtimeMessage): Bridged {
    const said = parseEvent(message.data);
    const seen = said === undefined ? [] : this.#tally.take(said);
    if (seen.some(({ kind }) => kind === "response-begun")) this.#turnEnded = false;
    const isReady = said !== undefined && isSetupComplete(said);
    const more = isReady && wantsHandles(this.#setup ?? {}) ? [eventMessage(noHandles)] : [];
    return { toClient: [message, ...more], toVendor: [], seen };
  }

  get responsesAsked(): number {
    return this.#tally.asked;
  }

  get input(): InputFormat {
    return { bytesPerSecond: this.#rate * sampleBytes, detectsTurns: !hasOwnTurns(this.#setup ?? {}) };
  }

  get asked(): boolean {
    return this.#tally.asked > 0 || (this.#stopped && this.#turnEnded);
  }

  /** There is no word for it: what the vendor begins after all is interrupted. */
  stop(): readonly RealtimeMessage[] {
    this.#stopped = true;
    return [];
  }

  cancel(): readonly RealtimeMessage[] {
    return [eventMessage(interruption)];
  }

  #event(said: LiveMessage): ClientEvent {
    if ((said.kind === "setup") !== (this.#setup === undefined))
      throw new Failure("invalid_value", "The first message must be the setup, and no other may be one.");
    const message = eventMessage(this.#messageOf(said));
    const type = this.#typeOf(said);
    if (type === asking) this.#asking.add(message);
    return { message, type, input: inputOfLive(said) };
  }

  #messageOf(said: LiveMessage): JsonRecord {
    switch (said.kind) {
      case "setup": {
        const setup = checkedSetup(said.setup, this.#names);
        this.#names.checkStores?.(setup);
        this.#setup = said.setup;
        return { setup: { ...setup, model: resourceOf(this.#names.upstreamModel) } };
      }
      case "content":
        this.#names.checkStores?.({ contents: said.turns });
        return { clientContent: { turns: said.turns, turnComplete: said.complete } };
      case "results":
        this.#names.checkStores?.({ contents: said.results });
        return { toolResponse: { functionResponses: said.results } };
      case "audio":
        this.#rate = rateOf(said.blob.mimeType);
        return { realtimeInput: { audio: said.blob } };
      case "picture":
        return { realtimeInput: { video: said.blob } };
      case "text":
        return { realtimeInput: { text: said.text } };
      case "activity-start":
      case "activity-end":
      case "stream-end":
      default:
        return { realtimeInput: marks[said.kind] };
    }
  }

  /** Returns the type of event that a message amounts to: whatever the vendor answers requests a response. */
  #typeOf(said: LiveMessage): string {
    switch (said.kind) {
      case "setup":
        return "session.update";
      case "audio":
        return "input_audio_buffer.append";
      case "content":
        return said.complete ? asking : adding;
      case "results":
        return this.#tally.answered(said.results) ? asking : adding;
      case "text":
        return asking;
      case "activity-end":
        return asking;
      case "stream-end":
        this.#turnEnded = true;
        return adding;
      case "picture":
      case "activity-start":
      default:
        return adding;
    }
  }
}

const asking = "response.create";
const adding = "conversation.item.create";

const marks = {
  "activity-start": { activityStart: {} },
  "activity-end": { activityEnd: {} },
  "stream-end": { audioStreamEnd: true },
} as const;

const none: ModelInput = { audioBytes: 0, textBytes: 0 };

/** Measures the input to the model in a client's message, in approximate bytes of audio and of text. */
function inputOfLive(message: LiveMessage): ModelInput {
  switch (message.kind) {
    case "setup":
      // Instructions and tools are read by every response.
      return textInput([message.setup["systemInstruction"], message.setup["tools"]]);
    case "content":
      return message.turns.map(inputOfTurn).reduce(sum, none);
    case "audio":
      return { audioBytes: bytesOfBase64(message.blob.data), textBytes: 0 };
    case "picture":
      return { audioBytes: 0, textBytes: pictureTextBytes };
    case "text":
      return { audioBytes: 0, textBytes: Buffer.byteLength(message.text) };
    case "results":
      return textInput(message.results);
    case "activity-start":
    case "activity-end":
    case "stream-end":
    default:
      return none;
  }
}

function inputOfTurn({ parts }: JsonRecord): ModelInput {
  const listed: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  return listed.filter(isRecord).map(camel).map(inputOfPart).reduce(sum, none);
}

function inputOfPart(part: JsonRecord): ModelInput {
  const { text, inlineData } = part;
  if (typeof text === "string") return { audioBytes: 0, textBytes: Buffer.byteLength(text) };
  if (!isRecord(inlineData)) return textInput(part);
  const { mimeType, data } = camel(inlineData);
  if (typeof mimeType !== "string" || !mimeType.startsWith("audio/"))
    return { audioBytes: 0, textBytes: pictureTextBytes };
  return { audioBytes: bytesOfBase64(data), textBytes: 0 };
}

function textInput(value: unknown): ModelInput {
  return { audioBytes: 0, textBytes: Buffer.byteLength(JSON.stringify(value) ?? "") };
}

function bytesOfBase64(data: unknown): number {
  return typeof data === "string" ? (data.length * 3) / 4 : 0;
}

function sum(one: ModelInput, other: ModelInput): ModelInput {
  return { audioBytes: one.audioBytes + other.audioBytes, textBytes: one.textBytes + other.textBytes };
}
