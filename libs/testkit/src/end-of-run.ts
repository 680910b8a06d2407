import { existsSync, rmSync } from "node:fs";

/** Removes the containers of a test run after its last test. Vitest calls it in the process that starts the workers. */
export async function teardown(): Promise<void> {
  const { markerOf, workersOf } = await import("./shared-containers.ts");
  const marker = markerOf(process.pid);
  if (!existsSync(marker)) return;
  const { removeReusedContainers } = await import("./containers.ts");
  await removeReusedContainers(workersOf(process.pid));
  rmSync(marker);
}
