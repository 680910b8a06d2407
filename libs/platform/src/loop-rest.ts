import { performance } from "node:perf_hooks";

/** Share of its time that a loop works up to which its process rests. */
const atRest = 0.02;

/** Makes the question whether the event loop has rested since it was last asked, or since this. */
export function watchRest(): () => boolean {
  let since = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, since);
    since = now;
    return utilization <= atRest;
  };
}
