import { endUserOf } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "../../json/fields.ts";

/** Reads the end user that a request names, for the books. */
export function readEndUser({ metadata }: JsonRecord): string | undefined {
  return isRecord(metadata) ? endUserOf(metadata["user_id"]) : undefined;
}
