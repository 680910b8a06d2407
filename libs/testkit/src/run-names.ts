import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the prefix of the names of a test run's workers, by the process that starts the workers. */
export function workersOf(processId: number): string {
  return `${hostname()} ${processId} `;
}

/** Returns the file that exists if a test run has started containers that its files share. */
export function markerOf(processId: number): string {
  return join(tmpdir(), `modelgate-containers-${processId}`);
}

/** Returns the prefix of the folders of a test run's shared servers. They are in the folder of temporary files. */
export function serverFoldersOf(processId: number): string {
  return `modelgate-shared-${processId}-`;
}
