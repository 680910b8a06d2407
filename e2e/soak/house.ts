import { startLocalBackends, startSuite, type LocalBackends, type Suite } from "@modelgate/testkit";
import { modelOf } from "../chaos/area.ts";
import { areas } from "../chaos/areas/index.ts";
import { channelOf, quickVideo, smallSessions } from "../chaos/house.ts";

/** What a soak's account is called, and its key. */
export const payerOf = (area: string) => ({ accountId: `soak-${area}`, key: `sk-soak-0123456789-${area}` });

/** How long a vendor may be silent: on a machine that others keep busy it sometimes is. */
const timeoutMs = 60_000;

/** Starts every service as it is shipped, but for what is kept, videos that are polled often and sessions that hold little. */
export async function openSoakSuite(): Promise<Suite<LocalBackends>> {
  const vendors = areas.flatMap((area) => area.vendors);
  return startSuite({
    shape: "apart",
    backends: await startLocalBackends(),
    services: "all",
    // Streams and ended tasks are kept for so little that they are at their bounds long before the end.
    env: { LOG_LEVEL: "warn", NATS_KEEP_BYTES: String(2 * 1_048_576) },
    envOf: { video: { TASK_LIFETIME_MS: "60000", TASK_KEEP_MS: "60000" } },
    limits: {
      control: { configuration: { pollMs: 2_000 } },
      video: { ...quickVideo, tasks: { ...quickVideo.tasks, pollTimeoutMs: 10_000 } },
      realtime: smallSessions,
    },
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        vendors.map((vendor) => [modelOf(vendor, "two"), { kind: vendor.kind, price: vendor.price }]),
      ),
      channels: vendors.flatMap((vendor) => [
        { ...channelOf(vendor, { way: "main", ways: ["two"], priority: 1 }), timeoutMs },
        { ...channelOf(vendor, { way: "spare", ways: ["two"] }), timeoutMs },
      ]),
      accounts: Object.fromEntries(
        areas.map(({ name }) => {
          const { accountId, key } = payerOf(name);
          return [accountId, { balance: "100000.00", tokens: [{ key, group: "default" }] }];
        }),
      ),
    },
  });
}
