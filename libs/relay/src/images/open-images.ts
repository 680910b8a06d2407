import { hostsIn, openRemoteFiles, type RemoteFiles } from "@modelgate/channels";
import { variable, type BufferBudget, type Environment } from "@modelgate/platform";

/** What every service reads that asks for images, each bound by its name. */
export const imagesVariables = {
  /** Largest image that a client brings, in a form or at an address, or that is fetched from a vendor's address. */
  IMAGE_BYTES: variable.integer({ fallback: 32 * 1024 * 1024, min: 1_024 }),
  /** How long an image may take to be fetched, redirects and all, and how many of those there may be. */
  FETCH_MS: variable.integer({ fallback: 20_000, min: 10 }),
  FETCH_REDIRECTS: variable.integer({ fallback: 3, max: 20 }),
  /** Hosts of the operator's own network that images may be fetched from, separated by commas. */
  FETCH_PRIVATE_HOSTS: variable.text(""),
  /** How long a vendor's task is waited for. */
  TASK_WAIT_MS: variable.integer({ fallback: 180_000, min: 100 }),
};

/** What calls for images work with, whatever wire they came in. */
export interface ImagesDeps {
  /** Fetches images at addresses of clients and vendors. */
  readonly remote: RemoteFiles;
  /** What the process may hold of bodies and images. */
  readonly budget: BufferBudget;
  /** How long a vendor's task is waited for. */
  readonly taskWaitMs: number;
}

/** Reads the bounds once. */
export function openImages(env: Environment<typeof imagesVariables>, budget: BufferBudget): ImagesDeps {
  const limits = { mostBytes: env.IMAGE_BYTES, timeoutMs: env.FETCH_MS, mostRedirects: env.FETCH_REDIRECTS };
  return {
    remote: openRemoteFiles(limits, budget, { privateHosts: hostsIn(env.FETCH_PRIVATE_HOSTS) }),
    budget,
    taskWaitMs: env.TASK_WAIT_MS,
  };
}
