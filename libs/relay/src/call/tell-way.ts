import type { ServerResponse } from "node:http";
import type { Tried } from "@modelgate/channels";
import { headers } from "@modelgate/contracts";
import type { ServiceCall } from "@modelgate/platform";
import type { RelayDeps } from "../deps.ts";

/** Longest header; attempts beyond it are told by an ellipsis. */
const mostTold = 2_000;

/**
 * Says which channel served a call (of a failed one: where it went last) and what was tried, as
 * `first;failed=upstream_error, second`, where the caller's group allows it. An answer whose head is out says nothing.
 */
export function tellWay(
  { catalog }: Pick<RelayDeps, "catalog">,
  { response, caller }: { readonly response: ServerResponse; readonly caller: ServiceCall["caller"] },
  tried: readonly Tried[],
): void {
  const last = tried.at(-1);
  if (last === undefined || response.headersSent || catalog.current().group(caller.group)?.showChannel !== true) return;
  const told = tried
    .map(({ channel, failed }) => (failed === undefined ? channel : `${channel};failed=${failed}`))
    .join(", ");
  response.setHeader(headers.channel, last.channel);
  response.setHeader(headers.attempts, told.length > mostTold ? `${told.slice(0, mostTold)}...` : told);
}
