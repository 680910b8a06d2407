import type { Units } from "@modelgate/contracts";
import { idsOf } from "@modelgate/platform";
import type { VendorRun } from "@modelgate/wires/text";
import type { CallRun } from "../call-run.ts";
import type { RouteLink } from "./route-link.ts";

/**
 * Cancels an answer that its vendor still generates in the background, so that it costs no more. Returns the usage that
 * the vendor reports. Never rejects.
 */
export async function cancelUnfinished(
  { call }: Pick<CallRun, "call">,
  vendorRun: Pick<VendorRun, "id" | "hasEnded" | "usageOf">,
  link: Pick<RouteLink, "cancel">,
): Promise<Units | undefined> {
  if (!isUnfinished(vendorRun)) return undefined;
  try {
    return vendorRun.usageOf(await link.cancel(vendorRun.id));
  } catch (error) {
    call.log.warn({ ...idsOf(call), err: error }, "an answer was not cancelled at its vendor");
    return undefined;
  }
}

/** Returns true if an answer in the background has begun and not ended. */
export function isUnfinished<Run extends Pick<VendorRun, "id" | "hasEnded">>(
  vendorRun: Run,
): vendorRun is Run & { readonly id: string } {
  return vendorRun.id !== undefined && !vendorRun.hasEnded;
}
