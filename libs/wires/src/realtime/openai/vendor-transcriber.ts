import { asFailure, Failure } from "@modelgate/contracts";
import { findValueRange, refuseAmbiguousPath, replaceRange, isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { Transcriber, TranscriberNames } from "../hub/bridge.ts";
import { eventMessage, parseEvent, type RealtimeMessage } from "../hub/message.ts";

/** A client's session update in the form for the vendor, and the failure if a part was left out. */
export interface ConvertedUpdate {
  readonly message: RealtimeMessage;
  readonly refused: Failure | undefined;
}

/** Paths of the setting in the current and the older format. */
const transcriptionPaths = [["audio", "input", "transcription"], ["input_audio_transcription"]] as const;

/** Tracks the model that transcribes speech, and translates its name. */
export class TranscriberSetting {
  readonly #names: TranscriberNames;
  #requested: { readonly model: string | undefined; readonly upstreamName: string | undefined } | undefined;
  #current: Transcriber | undefined;

  constructor(names: TranscriberNames) {
    this.#names = names;
  }

  get current(): Transcriber | undefined {
    return this.#current;
  }

  get next(): Transcriber | undefined {
    return this.#requested === undefined ? this.#current : { model: this.#requested.model };
  }

  /**
   * Reads a session update, and replaces the name of its transcription model. Leaves out a model that the client may
   * not use.
   */
  request(message: RealtimeMessage, session: JsonRecord): ConvertedUpdate {
    let renamed = message;
    let refused: Failure | undefined;
    for (const settingPath of transcriptionPaths) {
      const path = ["session", ...settingPath, "model"];
      refuseAmbiguousPath(message.data, path);
      const setting = objectAtPath(session, settingPath);
      if (setting === undefined) continue;
      const model = setting?.["model"];
      if (typeof model !== "string") {
        // A setting without a model does not change the model.
        this.#requested =
          setting === null ? undefined : (this.#requested ?? { model: undefined, upstreamName: undefined });
        continue;
      }
      const upstreamName = this.#toVendor(model, path.join("."));
      if (upstreamName instanceof Failure) {
        refused = upstreamName;
        renamed = withoutPath(renamed, path.slice(0, -1));
        continue;
      }
      this.#requested = { model, upstreamName };
      if (upstreamName !== model) renamed = replaceName(renamed, path, upstreamName);
    }
    return { message: renamed, refused };
  }

  /** Reads the settings that the vendor reports. Returns the message with the client's name of the model. */
  report(message: RealtimeMessage, session: JsonRecord): RealtimeMessage {
    for (const path of transcriptionPaths) {
      const setting = objectAtPath(session, path);
      if (setting === undefined) continue;
      const upstreamName = setting?.["model"];
      const model = typeof upstreamName === "string" ? this.#toClient(upstreamName) : undefined;
      this.#current = setting === null ? undefined : { model };
      return model === undefined || model === upstreamName
        ? message
        : replaceName(message, ["session", ...path, "model"], model);
    }
    // A vendor that does not report this setting applies the client's request.
    this.#current = this.#requested && { model: this.#requested.model };
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
    const { model, upstreamName: requested } = this.#requested ?? {};
    return model !== undefined && requested === upstreamName ? model : this.#names.toClient(upstreamName);
  }
}

function withoutPath({ data }: RealtimeMessage, path: readonly string[]): RealtimeMessage {
  const cut = (value: unknown, [name = "", ...rest]: readonly string[]): unknown => {
    if (!isRecord(value)) return value;
    const { [name]: inner, ...others } = value;
    return rest.length === 0 ? others : { ...others, [name]: cut(inner, rest) };
  };
  const event = cut(parseEvent(data), path);
  return isRecord(event) ? eventMessage(event) : { data, binary: false };
}

/** Returns the object at a path; null for null, undefined for any other value. */
function objectAtPath(session: JsonRecord, path: readonly string[]): JsonRecord | null | undefined {
  let value: unknown = session;
  for (const name of path) if (isRecord(value)) value = value[name];
  return isRecord(value) || value === null ? value : undefined;
}

/** Replaces the name at a path of members. */
export function replaceName(message: RealtimeMessage, path: readonly string[], name: string): RealtimeMessage {
  const range = findValueRange(message.data, path);
  if (range === undefined || message.data[range.start] !== 0x22) return message;
  return { data: replaceRange(message.data, range, JSON.stringify(name)), binary: false };
}
