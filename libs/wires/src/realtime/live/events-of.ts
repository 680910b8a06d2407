import { Failure } from "@modelgate/contracts";
import type { JsonRecord } from "../../json/fields.ts";
import { checkedSetup, hasOwnTurns, recordAt } from "./check-setup.ts";
import { itemOfPicture, itemOfResult, itemOfText, itemsOfTurns } from "./items-of-turns.ts";
import type { LiveMessage } from "./message.ts";
import { lostSettings } from "./lost-settings.ts";
import { sessionOfSetup, silentMsOf, voiceOf } from "./session-of-setup.ts";
import { rateOf, Resampler, silence } from "./sound.ts";

/** What is known of a session when a client's message is translated. */
export interface EventFacts {
  readonly vendorTools: boolean;
  /** Writes down the client's speech, where it wants that. */
  readonly transcriber: string | undefined;
  readonly isResponding: () => boolean;
  /** A call was answered; whether no other waits. */
  readonly answered: (id: unknown) => boolean;
}

const create = { type: "response.create" };
/** Silence beyond that which ends a turn. */
const moreSilentMs = 300;

/** A live client's messages as events of the realtime format. */
export class EventsOf {
  readonly #facts: EventFacts;
  #sound = new Resampler();
  #setup: JsonRecord | undefined;
  /** Whether there is speech since the last turn. */
  #spoke = false;

  constructor(facts: EventFacts) {
    this.#facts = facts;
  }

  /** The settings that the client began with. */
  get setup(): JsonRecord {
    return this.#setup ?? {};
  }

  /** Its settings that the vendor lacks, as paths within the setup. */
  get lost(): readonly string[] {
    const voice = voiceOf(recordAt(this.setup, "generationConfig"));
    return lostSettings(this.setup, { voice, transcriber: this.#facts.transcriber });
  }

  /** Throws Failure for what cannot be said. */
  of(said: LiveMessage): readonly JsonRecord[] {
    if ((said.kind === "setup") !== (this.#setup === undefined))
      throw new Failure("invalid_value", "The first message must be the setup, and no other may be one.");
    switch (said.kind) {
      case "setup":
        return [this.#begin(said.setup)];
      case "content":
        return [...this.#interruption(), ...itemsOfTurns(said.turns).map(added), ...(said.complete ? [create] : [])];
      case "text":
        return [...this.#interruption(), added(itemOfText(said.text)), create];
      case "picture":
        return [added(itemOfPicture(said.blob))];
      case "results":
        return this.#results(said.results);
      case "audio":
        this.#spoke = true;
        return [
          { type: "input_audio_buffer.append", audio: this.#sound.take(said.blob.data, rateOf(said.blob.mimeType)) },
        ];
      case "activity-start":
      case "activity-end":
      case "stream-end":
      default:
        return this.#marked(said.kind);
    }
  }

  #begin(setup: JsonRecord): JsonRecord {
    const { vendorTools, transcriber } = this.#facts;
    const session = sessionOfSetup(checkedSetup(setup, { vendorTools }), transcriber);
    this.#setup = setup;
    return { type: "session.update", session };
  }

  /** What the client says interrupts an answer. */
  #interruption(): readonly JsonRecord[] {
    return this.#facts.isResponding() ? [{ type: "response.cancel" }] : [];
  }

  #results(results: readonly JsonRecord[]): readonly JsonRecord[] {
    const items = results.map(itemOfResult).map(added);
    const isLast = results.map(({ id }) => this.#facts.answered(id)).at(-1) === true;
    return isLast ? [...items, create] : items;
  }

  #marked(kind: "activity-start" | "activity-end" | "stream-end"): readonly JsonRecord[] {
    const ownTurns = hasOwnTurns(this.setup);
    // What is said next does not go on from what was said before.
    this.#sound = new Resampler();
    // A vendor that listens for the end of a turn hears it in silence; with nothing said an end would be refused.
    if (kind === "stream-end")
      return ownTurns || !this.#spoke
        ? []
        : [{ type: "input_audio_buffer.append", audio: silence(silentMsOf(this.setup) + moreSilentMs) }];
    if (!ownTurns)
      throw new Failure(
        "invalid_value",
        "activityStart and activityEnd need setup.realtimeInputConfig.automaticActivityDetection.disabled.",
      );
    if (kind === "activity-start") return this.#interruption();
    const commit = this.#spoke ? [{ type: "input_audio_buffer.commit" }] : [];
    this.#spoke = false;
    return [...commit, create];
  }
}

function added(item: JsonRecord): JsonRecord {
  return { type: "conversation.item.create", item };
}
