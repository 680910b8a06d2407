import { Failure } from "@modelgate/contracts";
import { Fields } from "../json/fields.ts";

/** Reads a vendor's answer field by field; what is wrong with it is the vendor's failure (upstream_error), not the client's. */
export function readVendor<Result>(body: unknown, read: (fields: Fields) => Result): Result {
  try {
    return read(new Fields(body));
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.code === "upstream_error") throw cause;
    throw new Failure("upstream_error", `The vendor's answer cannot be read: ${cause.message}`, { cause });
  }
}
