import { endUserOf } from "@modelgate/contracts";
import { isRecord } from "./fields.ts";

/** Reads the end user that a request names, for the books, as most endpoints spell it: `safety_identifier`, else `user`. */
export function endUserIn(body: unknown): string | undefined {
  return isRecord(body) ? (endUserOf(body["safety_identifier"]) ?? endUserOf(body["user"])) : undefined;
}
