import { openInspector } from "./inspector.ts";
import type { Load } from "./load.ts";
import { runLoad } from "./measure.ts";
import type { Frame } from "./part-of.ts";

/** Mean interval between two samples, in bytes. */
const samplingInterval = 8_192;

/** Call site in V8's tree of allocations, with its own allocations and the sites that it called. */
export interface Site {
  readonly callFrame: Frame & { readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly Site[];
}

/** Allocations of a process during a load. */
interface Allocations {
  readonly head: Site;
  readonly requests: number;
  readonly failures: number;
}

/**
 * Runs a load, and samples the allocations of the process at an inspector's address with V8's sampling heap profiler.
 * Collected objects are included.
 */
export async function sampleAllocations(inspectorAddress: string, load: Load): Promise<Allocations> {
  const inspector = await openInspector(inspectorAddress);
  await inspector.send("HeapProfiler.startSampling", {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  const { requests, failures } = await runLoad(load);
  const sampled: { readonly profile: { readonly head: Site } } = JSON.parse(
    await inspector.send("HeapProfiler.stopSampling"),
  );
  inspector.close();
  return { head: sampled.profile.head, requests, failures };
}

/** Returns the bytes of a site and of the sites that it called. */
export function bytesOf({ selfSize, children }: Site): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize);
}
