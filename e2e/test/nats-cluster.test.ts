import { connect, type NatsConnection } from "nats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventStreams } from "@modelgate/contracts";
import {
  canStartCluster,
  startNatsCluster,
  startSuite,
  until,
  type NatsClusterBackends,
  type Suite,
} from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { config, hello, money, post, read } from "./suite-client.ts";

const priceNanos = 1_000_000n;
/** Number of concurrent calls. */
const callers = 4;

describe.skipIf(!canStartCluster)("on a NATS cluster", () => {
  let suite: Suite<NatsClusterBackends>;
  let nats: NatsConnection;
  let killed = 0;
  beforeAll(async () => {
    suite = await startSuite({
      shape: "one",
      config,
      backends: await startNatsCluster(),
      env: { NATS_REPLICAS: "3" },
    });
    nats = await connect({ servers: suite.backends.natsUrl.split(",") });
  });
  afterAll(async () => {
    await nats?.close();
    await suite?.[Symbol.asyncDispose]();
  });

  test("every event is on three servers", async () => {
    // The check of the API times out while the cluster elects a leader.
    const management = await nats.jetstreamManager({ checkAPI: false });
    for (const { name } of Object.values(eventStreams)) {
      await until(`${name} to have a leader and two current followers`, async () => {
        // Services start without the streams, and create them when the cluster has a leader.
        const info = await management.streams.info(name).catch(() => undefined);
        const followers = info?.cluster?.replicas?.filter(({ current }) => current) ?? [];
        return info?.config.num_replicas === 3 && info.cluster?.leader !== undefined && followers.length === 2;
      });
    }
  });

  test("killing a server under load loses no call and no event, and duplicates none", async () => {
    const answered = { calls: 0 };
    const load = { on: true };
    const client = async (): Promise<void> => {
      while (load.on) {
        expect((await post(suite, hello("fixed"))).status).toBe(200);
        answered.calls++;
      }
    };
    const failed: unknown[] = [];
    const calling = Array.from({ length: callers }, () => client().catch((error: unknown) => failed.push(error)));
    const passed = async (more: number): Promise<void> => {
      const goal = answered.calls + more;
      await until(`${more} further calls`, () => answered.calls >= goal);
    };
    try {
      await passed(20);
      // The followers elect another leader while events continue.
      const management = await nats.jetstreamManager({ checkAPI: false });
      const { cluster } = await management.streams.info(eventStreams.usage.name);
      killed = Number(/\d+$/.exec(cluster?.leader ?? "")?.[0]);
      await suite.backends.nodes[killed]?.kill();
      await passed(20);
    } finally {
      load.on = false;
    }
    await Promise.all(calling);
    expect(failed).toEqual([]);

    const spent = BigInt(answered.calls) * priceNanos;
    await until("every call to be settled", async () => BigInt((await money(suite)).spentNanos) === spent);
    const events = await until("every event to be stored", async () => {
      const stored = await storedEvents(suite.backends.natsUrl).catch(() => []);
      return stored.length >= answered.calls && stored;
    });
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.reduce((sum, { event }) => sum + BigInt(event.costNanos), 0n)).toBe(spent);
  });

  test("the ledger counts each event once", async () => {
    const expected = (await money(suite)).spentNanos;
    await until("the usage to be counted", async () => (await countedNanos()) === expected);
  });

  test("a restarted server catches up", async () => {
    const dead = suite.backends.nodes[killed];
    await dead?.start();
    await until("the stream to have all its replicas again", async () => {
      const management = await nats.jetstreamManager({ checkAPI: false });
      const info = await management.streams.info(eventStreams.usage.name).catch(() => undefined);
      return info?.cluster?.replicas?.every(({ current, lag }) => current && (lag ?? 0) === 0);
    });
  });

  async function countedNanos(): Promise<string | undefined> {
    const rows = await read<readonly { sums: Record<string, string> }[]>(suite, "/usage?by=account");
    return rows[0]?.sums["costNanos"];
  }
});
