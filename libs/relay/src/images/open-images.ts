import { hostsIn, openRemoteFiles, type RemoteFiles } from "@modelgate/channels";
import type { BufferBudget, VariableReader } from "@modelgate/platform";
import { privateHostsVariable } from "../env.ts";

/** Reads the variables of every service that serves images. */
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

/** Values of the variables for images. */
export type ImagesEnv = ReturnType<typeof imagesVariables>;

/** Dependencies of calls for images, in every client wire. */
export interface ImagesDeps {
  /** Fetches images from URLs that clients and vendors give. */
  readonly remote: RemoteFiles;
  /** Memory limit for bodies and images of the process. */
  readonly budget: BufferBudget;
  /** Maximum wait for a vendor's task. */
  readonly taskWaitMs: number;
}

/** Opens the dependencies of calls for images. */
export function openImages({ privateHosts, taskWaitMs, ...limits }: ImagesEnv, budget: BufferBudget): ImagesDeps {
  return { remote: openRemoteFiles(limits, budget, { privateHosts: hostsIn(privateHosts) }), budget, taskWaitMs };
}
