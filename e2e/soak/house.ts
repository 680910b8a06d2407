import { startLocalBackends, startSuite, type LocalBackends, type Suite } from "@modelgate/testkit";
import { modelOf } from "../chaos/area.ts";
import { areas } from "../chaos/areas/index.ts";
import { channelOf, quickVideo, smallSessions } from "../chaos/house.ts";

/** What a soak's account is called, and its key. */
export const payerOf = (area: string) => ({ accountId: `soak-${area}`, key: `sk-soak-0123456789-${area}` });

/** Starts every service as it is shipped, but for videos that are polled often and sessions that hold little. */
export async function openSoakSuite(): Promise<Suite<LocalBackends>> {
  const vendors = areas.flatMap((area) => area.vendors);
  return startSuite({
    backends: await startLocalBackends(),
    services: "all",
    env: { LOG_LEVEL: "warn" },
    envOf: { video: quickVideo, realtime: smallSessions },
    config: {
      groups: { default: { models: ["*"] } },
      models: Object.fromEntries(
        vendors.map((vendor) => [modelOf(vendor, "two"), { kind: vendor.kind, price: vendor.price }]),
      ),
      channels: vendors.flatMap((vendor) => [
        channelOf(vendor, { way: "main", ways: ["two"], priority: 1 }),
        channelOf(vendor, { way: "spare", ways: ["two"] }),
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
