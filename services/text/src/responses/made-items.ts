import type { ServiceCall } from "@modelgate/platform";
import type { AdmittedIds, Answered } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import { madeIn, mayNameMade } from "@modelgate/wires/vendor-stores";
import type { ResponsesDeps } from "./deps.ts";
import { responseIn } from "./answered-response.ts";

/**
 * Records the objects that a vendor of this wire created in its store while it answered: containers, files written by
 * code, items that a later request may refer to.
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
    /** True where the vendor keeps the response with all its items. */
    readonly kept: boolean;
    readonly admitted: AdmittedIds;
  },
): void {
  // Objects of another account that a shared store returns are not recorded for this account.
  const { made } = wires.responses.client.stores;
  if (wire !== "responses" || !admitted.own || !(kept || mayNameMade(made, text))) return;
  const response = responseIn(text);
  if (response !== undefined) relay.madeIds.keep(caller.accountId, madeIn(made, response, kept), channelKey);
}
