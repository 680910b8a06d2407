import { hostsIn, openRemoteFiles, type RemoteFiles } from "@modelgate/channels";
import type { BufferBudget, VariableReader } from "@modelgate/platform";
import { privateHostsVariable } from "../env.ts";

/** Variables of every service that serves images. */
export function imagesVariables(read: VariableReader) {
  return {
    /** Largest image that a client sends, in a form or as an address, or that is fetched from a vendor's address. */
    maxBytes: 32 * 1024 * 1024,
    /** Longest time to fetch an image, redirects included. */
    timeoutMs: 20_000,
    /** Maximum redirects of such a fetch. */
    maxRedirects: 3,
    privateHosts: privateHostsVariable(read),
    /** Longest wait for a vendor's image task. */
    taskWaitMs: 180_000,
  };
}

/** Their values. */
export type ImagesEnv = ReturnType<typeof imagesVariables>;

/** Dependencies of calls for images, whatever wire they came in. */
export interface ImagesDeps {
  /** Fetches images at addresses of clients and vendors. */
  readonly remote: RemoteFiles;
  /** Maximum bytes of bodies and images that the process holds. */
  readonly budget: BufferBudget;
  /** Maximum wait for a vendor's task. */
  readonly taskWaitMs: number;
}

/** Opens what calls for images work with. */
export function openImages({ privateHosts, taskWaitMs, ...limits }: ImagesEnv, budget: BufferBudget): ImagesDeps {
  return { remote: openRemoteFiles(limits, budget, { privateHosts: hostsIn(privateHosts) }), budget, taskWaitMs };
}
