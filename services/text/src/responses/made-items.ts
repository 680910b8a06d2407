import type { ServiceCall } from "@modelgate/platform";
import type { AdmittedIds, Answered } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import { madeIn, mayNameMade } from "@modelgate/wires/vendor-stores";
import type { ResponsesDeps } from "./deps.ts";
import { responseIn } from "./answered-response.ts";

/**
 * Records the objects that a vendor created in its store while it answered, such as containers, files and items to
 * which a later request may refer. Does nothing for a vendor of another wire.
 */
export function keepMadeItems(
  { relay }: Pick<ResponsesDeps, "relay">,
  { caller }: Pick<ServiceCall, "caller">,
  {
    answered: { text, wire, channelKey },
    kept,
    admitted,
  }: {
    readonly answered: Answered;
    /** True if the vendor stores the response with all its items. */
    readonly kept: boolean;
    readonly admitted: AdmittedIds;
  },
): void {
  // If the stores are shared, the answer may name objects of another account. They are not recorded for this one.
  const { made } = wires.responses.client.stores;
  if (wire !== "responses" || !admitted.own || !(kept || mayNameMade(made, text))) return;
  const response = responseIn(text);
  if (response !== undefined) relay.madeIds.keep(caller.accountId, madeIn(made, response, kept), channelKey);
}
