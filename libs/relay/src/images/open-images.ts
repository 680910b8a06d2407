import { parseHosts, openRemoteFiles, type RemoteFiles } from "@modelgate/channels";
import type { BufferBudget, VariableReader } from "@modelgate/platform";
import { defaultFirstPollMs } from "../answers/finish-task.ts";
import { privateHostsVariable } from "../env.ts";

/** Reads the variables of every service that serves images. */
export function imagesVariables(read: VariableReader) {
  return {
    maxBytes: 32 * 1024 * 1024,
    timeoutMs: 20_000,
    maxRedirects: 3,
    privateHosts: privateHostsVariable(read),
    taskWaitMs: 180_000,
    /** Pause in ms before the first poll of a task. */
    firstPollMs: defaultFirstPollMs,
  };
}

/** Settings of a service that serves images. */
export type ImagesEnv = ReturnType<typeof imagesVariables>;

/** Dependencies of image requests. */
export interface ImagesDeps {
  /** Fetches images from URLs of clients and vendors. */
  readonly remote: RemoteFiles;
  readonly budget: BufferBudget;
  readonly taskWaitMs: number;
  readonly firstPollMs: number;
}

/** Opens the dependencies of image requests. */
export function openImages(
  { privateHosts, taskWaitMs, firstPollMs, ...limits }: ImagesEnv,
  budget: BufferBudget,
): ImagesDeps {
  const remote = openRemoteFiles(limits, budget, { privateHosts: parseHosts(privateHosts) });
  return { remote, budget, taskWaitMs, firstPollMs };
}
