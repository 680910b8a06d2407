import { existsSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { markerOf, serverFolderPrefixOf, workerPrefixOf } from "./run-names.ts";

/**
 * Removes the containers and the servers' folders of a test run. Vitest calls it in the process that starts the
 * workers.
 */
export async function teardown(): Promise<void> {
  const marker = markerOf(process.pid);
  if (existsSync(marker)) {
    const { removeReusedContainers } = await import("./containers.ts");
    await removeReusedContainers(workerPrefixOf(process.pid));
    rmSync(marker);
  }
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(serverFolderPrefixOf(process.pid)));
  for (const name of folders)
    try {
      // A server that has not ended yet may write to its folder.
      rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 10 });
    } catch {
      // The folder stays, which makes no test fail.
    }
}
