import type { Units } from "@modelgate/contracts";
import { idsOf } from "@modelgate/platform";
import type { VendorRun } from "@modelgate/wires/text";
import type { CallRun } from "../call-run.ts";
import type { RouteLink } from "./route-link.ts";

/**
 * Cancels an answer that its vendor still generates in the background, because the operator pays for it and nobody reads
 * it. Returns the usage that the vendor reports. Never rejects.
 */
export async function cancelUnfinished(
  { call }: Pick<CallRun, "call">,
  vendorRun: Pick<VendorRun, "id" | "isOver" | "usageOf">,
  link: Pick<RouteLink, "cancel">,
): Promise<Units | undefined> {
  const { id, isOver } = vendorRun;
  if (id === undefined || isOver) return undefined;
  try {
    return vendorRun.usageOf(await link.cancel(id));
  } catch (error) {
    call.log.warn({ ...idsOf(call), err: error }, "an answer was not cancelled at its vendor");
    return undefined;
  }
}
