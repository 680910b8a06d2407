import { firstHeader } from "@modelgate/contracts";
import { isRequestId } from "@modelgate/platform";
import type { UpstreamAnswer } from "./upstream.ts";

/** Headers in which vendors give the id that their support asks for, of which each vendor has one. */
const names = [
  "request-id",
  "x-request-id",
  "apim-request-id",
  "x-ms-request-id",
  "x-amzn-requestid",
  "x-goog-request-id",
  "x-tt-logid",
  "x-trace-id",
];

/** The vendor's own id of an exchange; undefined where it gave none, or one that no log could hold. */
export function vendorRequestIdOf({ headers }: Pick<UpstreamAnswer, "headers">): string | undefined {
  const found = firstHeader(headers, names);
  return found !== undefined && isRequestId(found) ? found : undefined;
}
