import { hostsIn, openRemoteFiles, type RemoteFiles } from "@modelgate/channels";
import type { BufferBudget, VariableReader } from "@modelgate/platform";
import { privateHostsVariable } from "../env.ts";

/** Reads the variables of every service that serves images. */
export function imagesVariables(read: VariableReader) {
  return {
    /** Maximum bytes of an image. */
    maxBytes: 32 * 1024 * 1024,
    /** Maximum ms to fetch an image, including redirects. */
    timeoutMs: 20_000,
    maxRedirects: 3,
    privateHosts: privateHostsVariable(read),
    /** Maximum ms to wait for a vendor's image task. */
    taskWaitMs: 180_000,
  };
}

/** Settings of a service that serves images. */
export type ImagesEnv = ReturnType<typeof imagesVariables>;

/** Dependencies of image requests. */
export interface ImagesDeps {
  /** Fetches images from URLs of clients and vendors. */
  readonly remote: RemoteFiles;
  /** Memory limit of the process for bodies and images. */
  readonly budget: BufferBudget;
  /** Maximum ms to wait for a vendor's image task. */
  readonly taskWaitMs: number;
}

/** Opens the dependencies of image requests. */
export function openImages({ privateHosts, taskWaitMs, ...limits }: ImagesEnv, budget: BufferBudget): ImagesDeps {
  return { remote: openRemoteFiles(limits, budget, { privateHosts: hostsIn(privateHosts) }), budget, taskWaitMs };
}
