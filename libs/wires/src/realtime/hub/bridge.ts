import type { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { ClientSide } from "../../wire.ts";
import type { ModelInput, SeenEvent } from "./inspect.ts";
import type { RealtimeMessage } from "./message.ts";

/** Messages for either side that result from one message, in order. */
export interface BridgedMessages {
  readonly toClient: readonly RealtimeMessage[];
  readonly toVendor: readonly RealtimeMessage[];
  /** Billing events; absent: `toClient` is in the realtime format, and the billing events are read from it. */
  readonly seen?: readonly SeenEvent[];
  /** Reason why the session ends, for a client whose format has no error event. */
  readonly failure?: Failure;
}

export interface ClientEvent {
  /** Message for the bridge, if the event is accepted. */
  readonly message: RealtimeMessage;
  /** Event type of the realtime format; undefined for an event without a type. */
  readonly type: string | undefined;
  /** Size of the input for the model; absent: the message is in the realtime format, and is measured itself. */
  readonly input?: ModelInput;
}

/**
 * Connects a client and a vendor that each use the realtime format or another one. Each session has its own bridge,
 * which is synchronous and has no access to sockets. Only `read` throws: an invalid event of a client of the realtime
 * format is answered with an error event, and the session continues.
 */
export interface RealtimeBridge {
  /** Reads a client's message; absent: it is one event. A Failure ends the session. */
  read?(message: RealtimeMessage): readonly ClientEvent[];
  /** True if a session begins with a message of the vendor: its first one, or its answer to `start`. */
  readonly greets: boolean;
  /** Converts the client's first message, or refuses it. Absent: it is passed like the others. */
  start?(message: RealtimeMessage): RealtimeMessage;
  /** Type of the vendor's event that confirms `start`. */
  readonly startedBy?: string;
  readonly state: SessionState;
  open(): BridgedMessages;
  fromClient(message: RealtimeMessage): BridgedMessages;
  fromVendor(message: RealtimeMessage): BridgedMessages;
  /** Returns messages that stop new work; `isPending` stays true until the vendor has confirmed it. */
  stop(): readonly RealtimeMessage[];
  /** Returns the messages that end a response in progress at the vendor. */
  cancel(responseId: string): readonly RealtimeMessage[];
}

/** State of a session, as far as billing depends on it. */
export interface SessionState {
  readonly input: InputFormat;
  /** Transcriber of the client's speech. Absent: none, or the vendor transcribes without reporting usage. */
  readonly transcriber?: Transcriber | undefined;
  /** Transcriber requested for further speech, perhaps not confirmed yet; money is reserved for it first. */
  readonly nextTranscriber?: Transcriber | undefined;
  /** Number of requested responses that the vendor has neither begun nor refused. */
  readonly pendingResponses: number;
  /** True if a request of the client that may cost money is unanswered. */
  readonly isPending: boolean;
  /** True if no response can be requested until the current one has ended. */
  readonly isResponding?: boolean;
}

export interface InputFormat {
  readonly bytesPerSecond: number;
  /** True if the vendor detects the ends of turns and answers them without a request. */
  readonly detectsTurns: boolean;
}

/** Bytes per second of PCM of 24 kHz, 16 bits, mono: the default of sessions. */
export const pcmBytesPerSecond = 48_000;
/** Bytes per second of G.711 (A-law and µ-law): 8 kHz, one byte per sample. */
const g711BytesPerSecond = 8_000;
const g711 = /pcm[ua]\b|g711/i;
const pcmBytes = 2;

/** Returns the bytes per second of an audio format: its name, or an object with `type` and `rate`. */
export function bytesPerSecondOf(format: unknown): number {
  const type = isRecord(format) ? format["type"] : format;
  if (typeof type === "string" && g711.test(type)) return g711BytesPerSecond;
  const rate = isRecord(format) ? format["rate"] : undefined;
  return typeof rate === "number" && rate > 0 ? rate * pcmBytes : pcmBytesPerSecond;
}

export interface Transcriber {
  /** Model as the client names it; undefined if it names none. */
  readonly model: string | undefined;
}

export interface RealtimeNames {
  /** Model as the client names it, and as the vendor does. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Part of every id that the bridge creates, unique to the session. */
  readonly sessionId: string;
  readonly transcribers: TranscriberNames;
  /** Throws Failure for a client's event that names an object of the vendor's store; absent: nothing is checked. */
  readonly checkStores?: (event: JsonRecord) => void;
  /** True if the session may have tools that the vendor runs; their cost is not in any price. */
  readonly vendorTools: boolean;
}

export interface TranscriberNames {
  /** Returns the vendor's name of a model. Throws Failure for a model that the client may not use. */
  toVendor(name: string): string;
  /** Returns the client's name of a vendor's model, or the vendor's if the gateway does not know it. */
  toClient(upstreamName: string): string;
  /** Name of the default model, for clients whose format cannot name one; undefined if there is no default. */
  readonly usual?: string | undefined;
}

/** Translates nothing: both sides use the vendor's names. For sessions that no caller owns. */
export const vendorsTranscribers: TranscriberNames = { toVendor: (name) => name, toClient: (name) => name };

/**
 * Vendor side of a session wire, for clients of the realtime format. The `pass` of a wire has the same type, and serves
 * clients of that wire. Both sides of a session send messages at any time, so a bridge replaces the request and answer
 * of other kinds.
 */
export interface RealtimeVendor {
  bridge(names: RealtimeNames): RealtimeBridge;
}

export interface RealtimeClient extends Required<Pick<ClientSide<never, never, never>, "stores">> {
  bridge(names: RealtimeNames, inner: RealtimeBridge): RealtimeBridge;
}
