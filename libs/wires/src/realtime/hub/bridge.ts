import type { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { ClientSide } from "../../wire.ts";
import type { ModelInput, SeenEvent } from "./inspect.ts";
import type { RealtimeMessage } from "./message.ts";

/** Messages to send as the result of one message. */
export interface BridgedMessages {
  readonly toClient: readonly RealtimeMessage[];
  readonly toVendor: readonly RealtimeMessage[];
  /** Events for billing. If absent, they are read from `toClient`, which has the realtime format. */
  readonly seen?: readonly SeenEvent[];
  /** Reason why the session ends, if the client's format has no error event. */
  readonly failure?: Failure;
}

export interface ClientEvent {
  readonly message: RealtimeMessage;
  /** Event type in the realtime format; undefined for an event without a type. */
  readonly type: string | undefined;
  /** Size of the input for the model. If absent, the message itself is measured. */
  readonly input?: ModelInput;
}

/** Connects a client and a vendor of one session. It has no access to sockets. Only `read` and `start` may throw. */
export interface RealtimeBridge {
  /** Splits a client's message into events. If absent, each message is one event. A Failure ends the session. */
  read?(message: RealtimeMessage): readonly ClientEvent[];
  /** True if the vendor sends the first message, or answers `start`. */
  readonly vendorSpeaksFirst: boolean;
  /** Converts or refuses the client's first message. */
  start?(message: RealtimeMessage): RealtimeMessage;
  /** Type of the vendor's event that confirms the start. */
  readonly startedBy?: string;
  readonly state: SessionState;
  open(): BridgedMessages;
  fromClient(message: RealtimeMessage): BridgedMessages;
  fromVendor(message: RealtimeMessage): BridgedMessages;
  /** Returns the messages that stop new work. `isPending` remains true until the vendor has confirmed them. */
  stop(): readonly RealtimeMessage[];
  cancel(responseId: string): readonly RealtimeMessage[];
}

/** State of a session that is needed for billing. */
export interface SessionState {
  readonly input: InputFormat;
  /** Transcriber of the client's speech; absent without transcription, or if the vendor reports no usage of it. */
  readonly transcriber?: Transcriber | undefined;
  /** Transcriber that the client requested last. The vendor may not have confirmed it. */
  readonly nextTranscriber?: Transcriber | undefined;
  readonly pendingResponses: number;
  /** True if a request that may cost money is unanswered. */
  readonly isPending: boolean;
  /** True if no response can be requested until the current one has ended. */
  readonly isResponding?: boolean;
}

export interface InputFormat {
  readonly bytesPerSecond: number;
  /** True if the vendor detects the ends of turns and answers without a request. */
  readonly detectsTurns: boolean;
}

/** Bytes per second of the default format: PCM of 24 kHz, 16 bits, mono. */
export const pcmBytesPerSecond = 48_000;
/** Bytes per second of G.711: 8 kHz, one byte per sample. */
const g711BytesPerSecond = 8_000;
const g711 = /pcm[ua]\b|g711/i;
const pcmBytes = 2;

/** Returns the bytes per second of an audio format, which is a name or an object with `type` and `rate`. */
export function bytesPerSecondOf(format: unknown): number {
  const type = isRecord(format) ? format["type"] : format;
  if (typeof type === "string" && g711.test(type)) return g711BytesPerSecond;
  const rate = isRecord(format) ? format["rate"] : undefined;
  return typeof rate === "number" && rate > 0 ? rate * pcmBytes : pcmBytesPerSecond;
}

export interface Transcriber {
  /** Client's name of the model. */
  readonly model: string | undefined;
}

export interface RealtimeNames {
  /** Client's name of the model. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Text that every id of the bridge contains. */
  readonly sessionId: string;
  readonly transcribers: TranscriberNames;
  /** Throws Failure for an event that names an object of the vendor's store. */
  readonly checkStores?: (event: JsonRecord) => void;
  /** True if the session may have tools that the vendor runs. No price includes their cost. */
  readonly allowsVendorTools: boolean;
}

export interface TranscriberNames {
  /** Returns the vendor's name of a model. Throws Failure if the client may not use it. */
  toVendor(name: string): string;
  /** Returns the client's name of a model, or the vendor's if the gateway does not know it. */
  toClient(upstreamName: string): string;
  /** Default model, for clients whose format cannot name one. */
  readonly defaultName?: string | undefined;
}

/** Names of transcribers for the test of a channel: both sides use the vendor's names. */
export const vendorsTranscribers: TranscriberNames = { toVendor: (name) => name, toClient: (name) => name };

/** Vendor side of a session wire. Either side sends messages at any time, so a bridge replaces `render` and `parse`. */
export interface RealtimeVendor {
  bridge(names: RealtimeNames): RealtimeBridge;
}

export interface RealtimeClient extends Required<Pick<ClientSide<never, never, never>, "stores">> {
  bridge(names: RealtimeNames, inner: RealtimeBridge): RealtimeBridge;
}
