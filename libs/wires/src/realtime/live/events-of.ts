import { Failure, present } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import { checkedSetup, hasOwnTurns, recordAt } from "./check-setup.ts";
import { blobOf, camel, recordsIn, type Blob, type LiveMessage } from "./message.ts";
import { lostSettings, sessionOfSetup, silentMsOf, voiceOf } from "./session-of-setup.ts";
import { rateOf, Resampler, silence } from "./sound.ts";

/** Facts of a session that the translation of a client's message depends on. */
interface EventFacts {
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
  /** Tells whether there is speech since the last turn. */
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

  /** Tells that the client's input interrupts an answer. */
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

/** A live client's turns as items of a conversation in the realtime format. Throws Failure for what cannot be said. */
function itemsOfTurns(turns: readonly JsonRecord[]): readonly JsonRecord[] {
  return turns.flatMap((turn, at) => {
    const path = `clientContent.turns[${at}].parts`;
    const isModel = turn["role"] === "model";
    const parts = recordsIn(turn["parts"], path).filter(({ thought }) => thought !== true);
    const content = parts.filter(isSaid).map((part) => contentOf(part, isModel, path));
    const role = isModel ? "assistant" : "user";
    const message = content.length === 0 ? [] : [{ type: "message", role, content }];
    return [...message, ...parts.filter((part) => !isSaid(part)).map((part) => callOf(part, path))];
  });
}

/** A result of a call as an item. */
function itemOfResult(result: JsonRecord): JsonRecord {
  const { id, response } = result;
  if (typeof id !== "string" || id === "")
    throw new Failure("missing_required_parameter", "A function response needs the id of its call.", {
      param: "toolResponse.functionResponses.id",
    });
  return { type: "function_call_output", call_id: id, output: outputOf(response) };
}

/** A picture of the client's as an item. */
function itemOfPicture(blob: Blob): JsonRecord {
  return { type: "message", role: "user", content: [pictureOf(blob)] };
}

/** Words of the client's as an item. */
function itemOfText(text: string): JsonRecord {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

function isSaid({ functionCall, functionResponse }: JsonRecord): boolean {
  return functionCall === undefined && functionResponse === undefined;
}

function contentOf(part: JsonRecord, isModel: boolean, path: string): JsonRecord {
  const { text, inlineData } = part;
  if (typeof text === "string") return { type: isModel ? "output_text" : "input_text", text };
  if (!isRecord(inlineData) || isModel) throw unsayable(path);
  const blob = blobOf(inlineData, `${path}.inlineData`);
  if (!blob.mimeType.startsWith("audio/")) return pictureOf(blob);
  return { type: "input_audio", audio: new Resampler().take(blob.data, rateOf(blob.mimeType)) };
}

function pictureOf({ mimeType, data }: Blob): JsonRecord {
  if (!mimeType.startsWith("image/")) throw unsayable("mimeType");
  return { type: "input_image", image_url: `data:${mimeType};base64,${data}` };
}

function callOf({ functionCall, functionResponse }: JsonRecord, path: string): JsonRecord {
  if (isRecord(functionResponse)) return itemOfResult(camel(functionResponse));
  if (!isRecord(functionCall)) throw unsayable(path);
  const { id, name, args } = camel(functionCall);
  return present({ type: "function_call", call_id: id, name, arguments: JSON.stringify(args ?? {}) });
}

/** A result that is one text is that text; every other one is written as JSON. */
function outputOf(response: unknown): string {
  if (isRecord(response) && Object.keys(response).length === 1 && typeof response["output"] === "string")
    return response["output"];
  return JSON.stringify(response ?? {});
}

function unsayable(param: string): Failure {
  return new Failure("unsupported_parameter", `${param} has what cannot be passed to the vendor of this model.`, {
    param,
  });
}
