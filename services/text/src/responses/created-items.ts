import type { ServiceCall } from "@modelgate/platform";
import type { AdmittedIds, FinalAnswer } from "@modelgate/relay";
import { wires } from "@modelgate/wires/text";
import { createdIn, mayNameCreated } from "@modelgate/wires/vendor-stores";
import type { ResponsesDeps } from "./deps.ts";
import { responseIn } from "./answered-response.ts";

/** Records the objects that a vendor created in its store, such as files. Later requests may refer to them. */
export function recordCreatedItems(
  { relay }: Pick<ResponsesDeps, "relay">,
  { caller }: Pick<ServiceCall, "caller">,
  {
    answered: { text, wire, channelKey },
    isStored,
    admitted,
  }: {
    readonly answered: FinalAnswer;
    /** True if the vendor stores the response with all its items. */
    readonly isStored: boolean;
    readonly admitted: AdmittedIds;
  },
): void {
  // If accounts share the vendor's stores, the answer may name another account's objects, which must not be recorded.
  const { created: reader } = wires.responses.client.stores;
  if (wire !== "responses" || !admitted.canRecordIds || !(isStored || mayNameCreated(reader, text))) return;
  const response = responseIn(text);
  if (response !== undefined)
    relay.createdIds.store(caller.accountId, createdIn(reader, response, isStored), channelKey);
}
