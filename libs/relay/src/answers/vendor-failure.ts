import { Failure, type FailureCode } from "@modelgate/contracts";
import { cleanText } from "@modelgate/providers";
import type { VendorFailure } from "@modelgate/wires/text";

/** Failure codes of statuses that a vendor reports within its stream. */
const codes: ReadonlyMap<number | undefined, FailureCode> = new Map([
  [429, "upstream_rate_limited"],
  [529, "upstream_overloaded"],
]);

/** Converts a failure that a vendor reports within its stream. */
export function streamFailure({ message, status }: VendorFailure): Failure {
  const text = cleanText(message);
  const code = codes.get(status) ?? "upstream_error";
  const end = text === "" ? "." : `: ${text}`;
  return new Failure(code, `The vendor failed in the middle of its answer${end}`);
}
