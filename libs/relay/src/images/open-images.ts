import { hostsIn, openRemoteFiles, type RemoteFiles } from "@modelgate/channels";
import type { BufferBudget, VariableReader } from "@modelgate/platform";

/** What every service reads that serves images. */
export function imagesVariables(read: VariableReader) {
  return {
    mostBytes: read.integer(
      "IMAGE_BYTES",
      32 * 1024 * 1024,
      "Largest image that a client sends, in a form or as an address, or that is fetched from a vendor's address.",
      { min: 1_024 },
    ),
    timeoutMs: read.integer("FETCH_MS", 20_000, "Longest time to fetch an image, redirects included.", { min: 10 }),
    mostRedirects: read.integer("FETCH_REDIRECTS", 3, "Most redirects of such a fetch.", { max: 20 }),
    privateHosts: read.text(
      "FETCH_PRIVATE_HOSTS",
      "",
      "Hosts of the operator's own network that images may be fetched from, separated by commas.",
    ),
    taskWaitMs: read.integer("TASK_WAIT_MS", 180_000, "Longest wait for a vendor's image task.", { min: 100 }),
  };
}

/** Their values. */
export type ImagesEnv = ReturnType<typeof imagesVariables>;

/** What calls for images work with, whatever wire they came in. */
export interface ImagesDeps {
  /** Fetches images at addresses of clients and vendors. */
  readonly remote: RemoteFiles;
  /** What the process may hold of bodies and images. */
  readonly budget: BufferBudget;
  /** How long a vendor's task is waited for. */
  readonly taskWaitMs: number;
}

/** Opens what calls for images work with. */
export function openImages({ privateHosts, taskWaitMs, ...limits }: ImagesEnv, budget: BufferBudget): ImagesDeps {
  return { remote: openRemoteFiles(limits, budget, { privateHosts: hostsIn(privateHosts) }), budget, taskWaitMs };
}
