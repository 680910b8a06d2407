import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the prefix of the names of a test run's workers. `processId` is that of their parent. */
export function workerPrefixOf(processId: number): string {
  return `${hostname()} ${processId} `;
}

/** Returns the file that exists if a test run has started shared containers. */
export function markerOf(processId: number): string {
  return join(tmpdir(), `modelgate-containers-${processId}`);
}

/** Returns the prefix of the temporary folders of a test run's shared servers. */
export function serverFolderPrefixOf(processId: number): string {
  return `modelgate-shared-${processId}-`;
}
