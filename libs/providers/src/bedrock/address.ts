import type { UpstreamWire } from "@modelgate/contracts";
import type { AddressedCall } from "../request.ts";

/** Last path segment of each wire's requests, for complete answers and for streams. */
const wireActions: Readonly<Partial<Record<UpstreamWire, readonly [whole: string, streamed: string]>>> = {
  converse: ["converse", "converse-stream"],
};
/** Last path segments of requests in a model's native format. */
const invokeActions = ["invoke", "invoke-with-response-stream"] as const;

/** Returns the address of a request, with the model or the ARN of its profile. */
export function addressOf({ baseUrl, wire, model, stream = false }: AddressedCall): URL {
  const url = new URL(baseUrl);
  const [completeAction, streamedAction] = wireActions[wire] ?? invokeActions;
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/model/${encodeURIComponent(model)}/${stream ? streamedAction : completeAction}`;
  url.search = "";
  return url;
}

/** Query parameter for the region, if the host name does not contain it. */
const regionParameter = "region";

/**
 * Matches Amazon's hosts and their region: `bedrock-runtime.REGION.…`, `bedrock-runtime-fips.REGION.…`, and hosts in a
 * private network.
 */
const hostWithRegion = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d+)\./;

/** Returns the region for which requests to an address are signed. */
export function regionOf(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  return url.searchParams.get(regionParameter) ?? hostWithRegion.exec(url.hostname)?.[1];
}

/** Describes the error in an address, as text that follows the word `baseUrl`. */
export function addressProblem(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  const unknownParameters = [...url.searchParams.keys()].filter((name) => name !== regionParameter);
  if (unknownParameters.length > 0) return `has a query that is not ${regionParameter}=REGION`;
  const region = regionOf(baseUrl);
  if (region !== undefined) return problemOfRegion(region, hostWithRegion.exec(url.hostname)?.[1]);
  return `has no region: use https://bedrock-runtime.REGION.amazonaws.com, or another address with ?${regionParameter}=REGION`;
}

/** Amazon's hosts accept only requests that are signed for their own region. */
function problemOfRegion(region: string, hostRegion: string | undefined): string | undefined {
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d+$/.test(region)) return `has an invalid region: ${region.slice(0, 64)}`;
  return hostRegion === undefined || hostRegion === region
    ? undefined
    : `is in region ${hostRegion}, but its query names ${region}`;
}
