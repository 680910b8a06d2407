import { Failure, type Price } from "@modelgate/contracts";
import { costlyMember } from "@modelgate/wires/images";
import type { Exchange } from "../answers/exchange.ts";

/** Images that are asked for, as far as vendors price them differently. */
export interface WantedImages {
  readonly quality?: string | undefined;
  /** As `1024x1024`, or a class of size as 4K. */
  readonly size?: string | undefined;
  /** How the client spells those two, where it spells them otherwise. */
  readonly spelling: { readonly quality?: string; readonly size?: string };
}

/**
 * Refuses (400) images of a high quality or a large size where nothing but images is paid for: vendors charge a multiple
 * for them, and a price per image knows of one only. By tokens they are paid for as the vendor reports them, and a vendor
 * that cannot take the wish is not asked for it.
 */
export function refuseDearer(wanted: WantedImages, price: Price, { dropped }: Pick<Exchange, "dropped">): void {
  if (!price.has("images") || price.has("outputImageTokens")) return;
  const dearer = costlyMember(wanted);
  if (dearer === undefined) return;
  const param = wanted.spelling[dearer] ?? dearer;
  if (dropped.includes(param)) return;
  throw new Failure(
    "unsupported_parameter",
    `${param} asks for more than this model's price for an image covers. Leave it out, or ask the operator for a price.`,
    { param },
  );
}
