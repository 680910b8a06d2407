import { asFailure, Failure } from "@modelgate/contracts";
import { rangeOf, refuseAmbiguousPath, replaceAt } from "../../json/byte-range.ts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";
import type { Transcriber, TranscriberNames } from "../bridge.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../message.ts";

/** A client's update of its session as the vendor gets it, and what of it was refused. */
export interface AskedUpdate {
  readonly message: RealtimeMessage;
  readonly refused: Failure | undefined;
}

/** Paths of the model that writes down the client's speech: the current form and the older one. */
const paths = [["audio", "input", "transcription"], ["input_audio_transcription"]] as const;

/**
 * The setting of a session that has the client's speech written down by a model of its own. The client names it as the
 * gateway does, and the vendor in its way; what counts is what the vendor says that it does.
 */
export class TranscriberSetting {
  readonly #names: TranscriberNames;
  #asked: { readonly model: string | undefined; readonly upstreamName: string | undefined } | undefined;
  #current: Transcriber | undefined;

  constructor(names: TranscriberNames) {
    this.#names = names;
  }

  /** Returns the current transcriber; undefined for none. */
  get current(): Transcriber | undefined {
    return this.#current;
  }

  /** Returns the transcriber that the client requested last, or else the current one: the price of speech from now on. */
  get next(): Transcriber | undefined {
    return this.#asked === undefined ? this.#current : { model: this.#asked.model };
  }

  /**
   * A client's update, in the vendor's name. Where the client may not use the model, the setting is left out and `refused`
   * says why (`param`): what else the update says is applied.
   */
  asked(message: RealtimeMessage, session: JsonRecord): AskedUpdate {
    let named = message;
    let refused: Failure | undefined;
    for (const at of paths) {
      const path = ["session", ...at, "model"];
      refuseAmbiguousPath(message.data, path);
      const setting = settingAt(session, at);
      if (setting === undefined) continue;
      const model = setting?.["model"];
      if (typeof model !== "string") {
        // Of a setting that names none the model stays what it was.
        this.#asked = setting === null ? undefined : (this.#asked ?? { model: undefined, upstreamName: undefined });
        continue;
      }
      const upstreamName = this.#toVendor(model, path.join("."));
      if (upstreamName instanceof Failure) {
        refused = upstreamName;
        named = without(named, path.slice(0, -1));
        continue;
      }
      this.#asked = { model, upstreamName };
      if (upstreamName !== model) named = withName(named, path, upstreamName);
    }
    return { message: named, refused };
  }

  /** Takes the vendor's report of its session. Returns it with the model as the client names it. */
  seen(message: RealtimeMessage, session: JsonRecord): RealtimeMessage {
    for (const at of paths) {
      const setting = settingAt(session, at);
      if (setting === undefined) continue;
      const upstreamName = setting?.["model"];
      const model = typeof upstreamName === "string" ? this.#toClient(upstreamName) : undefined;
      this.#current = setting === null ? undefined : { model };
      return model === undefined || model === upstreamName
        ? message
        : withName(message, ["session", ...at, "model"], model);
    }
    // A vendor that does not report this setting does as it was asked.
    this.#current = this.#asked && { model: this.#asked.model };
    return message;
  }

  #toVendor(name: string, param: string): string | Failure {
    try {
      return this.#names.toVendor(name);
    } catch (error) {
      const { code, message } = asFailure(error);
      return new Failure(code, message, { param });
    }
  }

  #toClient(upstreamName: string): string {
    const { model, upstreamName: asked } = this.#asked ?? {};
    return model !== undefined && asked === upstreamName ? model : this.#names.toClient(upstreamName);
  }
}

/** The same event without the member at a path. */
function without({ data }: RealtimeMessage, path: readonly string[]): RealtimeMessage {
  const cut = (value: unknown, [name = "", ...rest]: readonly string[]): unknown => {
    if (!isRecord(value)) return value;
    const { [name]: inner, ...others } = value;
    return rest.length === 0 ? others : { ...others, [name]: cut(inner, rest) };
  };
  const event = cut(parseEvent(data), path);
  return isRecord(event) ? eventMessage(event) : { data, binary: false };
}

/** The object at a path of members; null where that is said, undefined where nothing is. */
function settingAt(session: JsonRecord, path: readonly string[]): JsonRecord | null | undefined {
  let value: unknown = session;
  for (const name of path) if (isRecord(value)) value = value[name];
  return isRecord(value) || value === null ? value : undefined;
}

/** An event with another name at a path of members, every other byte as it came; itself where it says no name there. */
export function withName(message: RealtimeMessage, path: readonly string[], name: string): RealtimeMessage {
  const range = rangeOf(message.data, path);
  if (range === undefined || message.data[range.start] !== 0x22) return message;
  return { data: replaceAt(message.data, range, JSON.stringify(name)), binary: false };
}
