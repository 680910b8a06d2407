import type { UpstreamWire } from "@modelgate/contracts";
import type { Addressed } from "../request.ts";

/** Last path segment of each wire's requests: for complete answers, and for streams. */
const actions: Readonly<Partial<Record<UpstreamWire, readonly [whole: string, streamed: string]>>> = {
  converse: ["converse", "converse-stream"],
};
/** Path segments of requests in a model's native format. */
const invoke = ["invoke", "invoke-with-response-stream"] as const;

/** Returns the address of a wire's requests: the model, or its profile's ARN, is one step of the path. */
export function addressOf({ baseUrl, wire, model, stream = false }: Addressed): URL {
  const url = new URL(baseUrl);
  const [whole, streamed] = actions[wire] ?? invoke;
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/model/${encodeURIComponent(model)}/${stream ? streamed : whole}`;
  url.search = "";
  return url;
}

/** Name of the query parameter of a base URL that gives the region where the host does not. */
const regionName = "region";

/** Amazon's hosts: `bedrock-runtime.REGION.…`, also with `-fips` or as an endpoint of a private network. */
const hostWithRegion = /(?:^|\.)bedrock-runtime(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d+)\./;

/** Returns the region that requests to an address are signed for; undefined where the address names none. */
export function regionOf(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  return url.searchParams.get(regionName) ?? hostWithRegion.exec(url.hostname)?.[1];
}

/** Describes an error in an address, for the configuration's check. */
export function addressProblem(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url === null) return undefined;
  const others = [...url.searchParams.keys()].filter((name) => name !== regionName);
  if (others.length > 0) return `has a query that is not ${regionName}=REGION`;
  const region = regionOf(baseUrl);
  if (region !== undefined) return problemOfRegion(region, hostWithRegion.exec(url.hostname)?.[1]);
  return `names no region: it is https://bedrock-runtime.REGION.amazonaws.com, or another address with ?${regionName}=REGION`;
}

/** Amazon's hosts accept only requests that are signed for the host's region. */
function problemOfRegion(region: string, own: string | undefined): string | undefined {
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d+$/.test(region)) return `names no region that there could be: ${region.slice(0, 64)}`;
  return own === undefined || own === region ? undefined : `is at ${own}, and its query names ${region}`;
}
