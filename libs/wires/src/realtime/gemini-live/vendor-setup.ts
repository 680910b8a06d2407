import { Failure } from "@modelgate/contracts";
import { invalidFailure, type JsonRecord } from "@modelgate/formats/json";
import type { RealtimeNames } from "../hub/bridge.ts";
import { eventMessage, type RealtimeMessage } from "../hub/message.ts";
import { changedSettings, firstSettings, setupOf } from "./vendor-settings.ts";

/** Maximum number and bytes of messages that wait for the vendor's confirmation. */
const [maxQueued, maxQueuedBytes] = [2_048, 32 * 1024 * 1024];

interface SetupEvents {
  send(message: RealtimeMessage): void;
  updated(): void;
}

/**
 * Settings of a session. The first message to the vendor contains them and cannot be changed later. Other messages wait
 * until the vendor has confirmed it.
 */
export class LiveSetup {
  readonly #names: RealtimeNames;
  readonly #events: SetupEvents;
  #settings: JsonRecord;
  #state: "unsent" | "sent" | "confirmed" = "unsent";
  #sent = "";
  #queue: RealtimeMessage[] = [];
  #queuedBytes = 0;
  #updates = 0;

  constructor(names: RealtimeNames, events: SetupEvents) {
    this.#names = names;
    this.#events = events;
    this.#settings = firstSettings(names.model);
  }

  get settings(): JsonRecord {
    return this.#settings;
  }

  /** Applies a client's update. Throws Failure for settings that the vendor lacks or cannot change. */
  update(change: JsonRecord): void {
    const settings = changedSettings(this.#settings, change, this.#names.model);
    if (this.#state !== "unsent" && JSON.stringify(setupOf(settings, this.#names.upstreamModel)) !== this.#sent)
      throw invalidFailure("session", "The settings of this model are fixed by the first session.update.");
    this.#settings = settings;
    this.begin();
    if (this.#state === "confirmed") this.#events.updated();
    else this.#updates++;
  }

  begin(): void {
    if (this.#state !== "unsent") return;
    this.#state = "sent";
    const setup = setupOf(this.#settings, this.#names.upstreamModel);
    this.#sent = JSON.stringify(setup);
    this.#events.send(eventMessage({ setup }));
  }

  confirm(): void {
    this.#state = "confirmed";
    for (; this.#updates > 0; this.#updates--) this.#events.updated();
    for (const message of this.#queue.splice(0)) this.#events.send(message);
    this.#queuedBytes = 0;
  }

  /** Sends a message, or queues it until the vendor has confirmed the setup. Throws Failure if the queue is full. */
  send(body: JsonRecord): void {
    const message = eventMessage(body);
    if (this.#state === "confirmed") return this.#events.send(message);
    if (this.#queue.length >= maxQueued || this.#queuedBytes + message.data.length > maxQueuedBytes)
      throw new Failure("server_overloaded", "The vendor's session has not started yet; wait for session.updated.");
    this.#queue.push(message);
    this.#queuedBytes += message.data.length;
  }
}
