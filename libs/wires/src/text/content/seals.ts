import type { Fields } from "../../json/fields.ts";
import type { Seal } from "../hub/part.ts";
import { sealForClient, sealFromClient } from "../hub/seals.ts";

/** Clients write this where a call's seal was lost: the vendor's own word for "do not look". */
export const noSeal = "skip_thought_signature_validator";
/** The same, in an older wording of the vendor's. */
const alsoNoSeal = "context_engineering_is_the_way_to_go";

/** Reads the seal of a part; undefined for none. */
export function sealOf(part: Fields): Seal | undefined {
  const text = part.text("thoughtSignature");
  if (text === undefined || text === "" || text === noSeal || text === alsoNoSeal) return undefined;
  return sealFromClient(text, "content", "thoughtSignature");
}

/** Renders the `thoughtSignature` for a client of this wire. */
export function clientSeal(seal: Seal | undefined): string | undefined {
  return seal === undefined ? undefined : sealForClient(seal, "content");
}
