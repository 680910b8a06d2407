import { withoutUndefined } from "@modelgate/contracts";
import { asRecord, type JsonRecord } from "@modelgate/formats/json";
import { bytesPerSecondOf, pcmBytesPerSecond, type InputFormat } from "../hub/bridge.ts";

/** Input audio as requested and confirmed. The format with fewer bytes per second counts: it means more seconds. */
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
