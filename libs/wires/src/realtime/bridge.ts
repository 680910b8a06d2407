import type { Failure } from "@modelgate/contracts";
import type { JsonRecord } from "../json/fields.ts";
import type { ModelInput, SeenEvent } from "./inspect.ts";
import type { RealtimeMessage } from "./message.ts";

/** Messages that one message results in, on either side, in order. */
export interface Bridged {
  readonly toClient: readonly RealtimeMessage[];
  readonly toVendor: readonly RealtimeMessage[];
  /** Meaning for the bill; absent: `toClient` is in the realtime format, which is inspected itself. */
  readonly seen?: readonly SeenEvent[];
  /** Reason for which the session ends, for a client whose format has no error event. */
  readonly failure?: Failure;
}

/** A client's message in terms of the realtime format. */
export interface ClientEvent {
  /** Message for the bridge if the event may go on. */
  readonly message: RealtimeMessage;
  /** The realtime format's type of event; undefined for one without a type. */
  readonly type: string | undefined;
  /** Input to the model; absent: the message is in the realtime format, which is inspected itself. */
  readonly input?: ModelInput;
}

/**
 * A session between a client and a vendor, each of whom speaks the realtime format or another one. One for every
 * session; synchronous, and blind to sockets. It never throws, except from `read`: an invalid event of a client of the
 * realtime format is answered with an error event, and the session goes on.
 */
export interface RealtimeBridge {
  /**
   * Reads a client's message as events; absent: each message is one event of the realtime format. Throws Failure for a
   * message that ends the session.
   */
  read?(message: RealtimeMessage): readonly ClientEvent[];
  /** Tells whether the vendor sends the first message of a session. */
  readonly greets: boolean;
  readonly state: SessionState;
  open(): Bridged;
  fromClient(message: RealtimeMessage): Bridged;
  fromVendor(message: RealtimeMessage): Bridged;
  /** Ends the client's part: the vendor begins nothing more, and `isPending` is true until that is certain. */
  stop(): readonly RealtimeMessage[];
  /** Returns the messages that end a response in progress at the vendor. */
  cancel(responseId: string): readonly RealtimeMessage[];
}

/** The state of a session, as far as its bill depends on it. */
export interface SessionState {
  readonly input: InputFormat;
  /**
   * Current transcriber of the client's speech. Absent without one, and where the vendor transcribes by itself and
   * reports no usage for it.
   */
  readonly transcriber?: Transcriber | undefined;
  /**
   * Transcriber of speech that the client sends from now on: as requested, even where the vendor has not confirmed it.
   * Money is held for it before the speech goes on.
   */
  readonly nextTranscriber?: Transcriber | undefined;
  /** Number of responses that were requested and that the vendor has neither begun nor refused. */
  readonly pendingResponses: number;
  /** Tells whether a request of the client that may cost is unanswered. */
  readonly isPending: boolean;
  /** Tells whether no response can be requested until the one in progress has ended. */
  readonly isResponding?: boolean;
}

/** The form of a client's speech. */
export interface InputFormat {
  /** Bytes of samples that make a second. */
  readonly bytesPerSecond: number;
  /** Tells whether the vendor finds the ends of turns by itself, and answers them. */
  readonly detectsTurns: boolean;
}

/** PCM of 24 kHz, 16 bits, mono: what sessions begin with. */
export const pcmBytesPerSecond = 48_000;

/** A model that transcribes a client's speech. */
export interface Transcriber {
  /** The model as the client names it; undefined where none is named. */
  readonly model: string | undefined;
}

/** Names of the two ends of a session. */
export interface RealtimeNames {
  /** The model as the client knows it, and as the vendor does. */
  readonly model: string;
  readonly upstreamModel: string;
  /** Part of every id that the bridge makes up, unique to the session. */
  readonly sessionId: string;
  readonly transcribers: TranscriberNames;
  /** Throws Failure for a client's event that names something in the vendor's store; absent: every event may. */
  readonly checkStores?: (event: JsonRecord) => void;
  /** Tells whether the session may have tools that its vendor runs: no price counts what they cost. */
  readonly vendorTools: boolean;
}

/** The names of models that transcribe a client's speech, between the client and the vendor. */
export interface TranscriberNames {
  /** The vendor's name of a model. Throws Failure for one that the client may not use. */
  toVendor(name: string): string;
  /** The client's name of a vendor's model; the same where the gateway has none for it. */
  toClient(upstreamName: string): string;
  /** The client's name of the model for clients that cannot name one; undefined where there is none. */
  readonly usual?: string | undefined;
}

/** For a session without an owner: every name is the vendor's own. */
export const vendorsTranscribers: TranscriberNames = { toVendor: (name) => name, toClient: (name) => name };
