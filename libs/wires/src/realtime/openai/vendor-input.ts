import { withoutUndefined } from "@modelgate/contracts";
import { isRecord, asRecord, type JsonRecord } from "../../json/fields.ts";
import { pcmBytesPerSecond, type InputFormat } from "../hub/bridge.ts";

/** Bytes per second of G.711 (A-law and µ-law): 8 kHz, one byte per sample. */
const g711BytesPerSecond = 8_000;
const g711 = /pcm[ua]\b|g711/i;
/** Bytes per PCM sample. */
const pcmBytes = 2;

/**
 * Format of a session's input audio, as requested by the client and as confirmed by the vendor. If they differ, the
 * lower number of bytes per second counts: the same bytes are then more seconds, for which more money is reserved.
 */
export class InputFormatTracker {
  #requested: Partial<InputFormat> = {};
  #reported: Partial<InputFormat> = {};

  get format(): InputFormat {
    const rates = [this.#requested.bytesPerSecond, this.#reported.bytesPerSecond].filter((rate) => rate !== undefined);
    return {
      bytesPerSecond: rates.length === 0 ? pcmBytesPerSecond : Math.min(...rates),
      detectsTurns: this.#requested.detectsTurns === true || (this.#reported.detectsTurns ?? true),
    };
  }

  request(session: JsonRecord): void {
    this.#requested = { ...this.#requested, ...readInputFormat(session) };
  }

  report(session: JsonRecord): void {
    this.#reported = { ...this.#reported, ...readInputFormat(session) };
  }
}

/** Reads the input settings of a session, in the current or the older format. */
function readInputFormat(session: JsonRecord): Partial<InputFormat> {
  const input = asRecord(asRecord(session["audio"])["input"]);
  const format = input["format"] ?? session["input_audio_format"] ?? undefined;
  const detection = "turn_detection" in input ? input["turn_detection"] : session["turn_detection"];
  return withoutUndefined({
    bytesPerSecond: format === undefined ? undefined : bytesPerSecondOf(format),
    detectsTurns: detection === undefined ? undefined : detection !== null,
  });
}

function bytesPerSecondOf(format: unknown): number {
  const type = isRecord(format) ? format["type"] : format;
  if (typeof type === "string" && g711.test(type)) return g711BytesPerSecond;
  const rate = isRecord(format) ? format["rate"] : undefined;
  return typeof rate === "number" && rate > 0 ? rate * pcmBytes : pcmBytesPerSecond;
}
