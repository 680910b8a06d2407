import { readlinkSync, realpathSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { inspectorIn } from "../inspector.ts";
import { bytesOf, sampleAllocations } from "../sample-allocations.ts";
import { withChildren, type Gateway } from "./gateways.ts";
import { loadOf } from "./kinds.ts";

/** Time in ms until a process listens for an inspector. */
const inspectorMs = 2_000;

/**
 * Returns the bytes that a process of Node allocates per chat call. Must be called last, because an inspector slows a
 * process down.
 */
export async function measureBytesPerCall(gateway: Gateway): Promise<number | undefined> {
  const load = loadOf("chat", gateway);
  if (gateway.inspectable === undefined || load === undefined) return undefined;
  const pid = withChildren(gateway.inspectable.pid).find(isNode); // a guarded program is the child of a shell
  if (pid === undefined) return undefined;
  process.kill(pid, "SIGUSR1");
  await setTimeout(inspectorMs);
  const { head, requests, failures } = await sampleAllocations(inspectorIn(gateway.inspectable.logs()), load);
  if (failures > 0) throw new Error(`${failures} calls failed`);
  return bytesOf(head) / requests;
}

function isNode(pid: number): boolean {
  return readlinkSync(`/proc/${pid}/exe`) === realpathSync(process.execPath);
}
