import { Refusal } from "../checks/refusal.ts";
import { headerOf, isBadKey, type VendorCall } from "../vendor.ts";
import { invalidKey } from "./errors.ts";

/** Returns the API key of a request. Throws a Refusal for a missing or bad key. */
export function admitKey({ headers, query }: Pick<VendorCall, "headers" | "query">): string {
  const key = headerOf(headers, "x-goog-api-key") || (query.get("key") ?? "");
  if (key === "") throw new Refusal(403, "A key is required: the header x-goog-api-key, or key in the address.");
  if (isBadKey(key)) throw new Refusal(400, "The API key is not a valid one.", { code: invalidKey });
  return key;
}
