import { openInspector } from "./inspector.ts";
import type { Load } from "./load.ts";
import { runLoad } from "./measure.ts";
import type { Frame } from "./part-of.ts";

/** Bytes between two samples. */
const samplingInterval = 8_192;

/** Function in V8's tree of allocations, with the functions that it called. */
export interface Site {
  readonly callFrame: Frame & { readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly Site[];
}

interface Allocations {
  readonly head: Site;
  readonly requests: number;
  readonly failures: number;
}

/** Samples the allocations of a process during a load, including collected objects. */
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

/** Returns the bytes of a site and of those it called. */
export function bytesOf({ selfSize, children }: Site): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize);
}
