import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { TranscriptFormat, TranscriptsRequest } from "./request.ts";

/** Fields of a request that a vendor may have no word for; as clients spell them. */
type Hint = "language" | "prompt" | "temperature";

/** What of a request a vendor's wire does not say, its own fields among it. */
export function lostHints(request: TranscriptsRequest, says: readonly Hint[]): readonly string[] {
  const hints = (["language", "prompt", "temperature"] as const).filter(
    (name) => !says.includes(name) && request[name] !== undefined,
  );
  return [...hints, ...request.own.map(([name]) => name)];
}

/** Refuses formats that a vendor's answer holds nothing for. Throws Failure unsupported_parameter. */
export function refuseFormats({ format }: TranscriptsRequest, formats: readonly TranscriptFormat[]): void {
  if (formats.includes(format))
    throw unsupportedFailure("response_format", `The vendor of this model cannot be answered in ${format}.`);
}
