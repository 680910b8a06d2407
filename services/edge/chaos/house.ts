import { startLocalBackends, startSuite } from "@modelgate/testkit";
import { modelOf, type Vendor, type Ways } from "./area.ts";
import { areas } from "./areas/index.ts";
import type { House } from "./faults.ts";
import { startLiar } from "./liar.ts";
import { openSlowWay } from "./slow-way.ts";

/** The running suite under fire, and where its books are. */
export interface OpenHouse extends AsyncDisposable {
  readonly house: House;
  /** Past the slow ways. */
  readonly redisUrl: string;
  readonly natsUrl: string;
}

/** An account of a fault's clients in one area. */
export interface Payer {
  readonly accountId: string;
  readonly key: string;
}

/** How long a vendor may be silent. */
const timeoutMs = 2_000;
/** Leases, lifetimes and pauses that let all come to rest soon after a fault. */
const env = { HOLD_LEASE_MS: "2000", SEAT_LEASE_MS: "1500", CHANNEL_LEASE_MS: "1500", LOG_LEVEL: "error" };
const envOf = {
  media: { TASK_WAIT_MS: "4000" },
  // Longer than a service pauses between two tries to settle, after an outage as long as a fault.
  ledger: { AFTER_OUTAGE_MS: "6000" },
  video: {
    LOOK_FIRST_MS: "50",
    LOOK_LONGEST_MS: "200",
    POLL_ROUND_MS: "50",
    POLL_LEASE_MS: "1500",
    LOOK_TIMEOUT_MS: "1000",
    TASK_LIFETIME_MS: "8000",
  },
  realtime: {
    HOLD_AUDIO_SECONDS: "0",
    HOLD_TEXT_TOKENS: "100",
    LAST_USAGE_MS: "1000",
    FIRST_EVENT_MS: "2000",
    IDLE_MS: "3000",
  },
};

/** Starts everything, with a way of its own to each vendor: two channels, one, or one that lies. */
export async function openHouse(payers: readonly Payer[]): Promise<OpenHouse> {
  await using opening = new AsyncDisposableStack();
  const liar = opening.use(await startLiar());
  const backends = await startLocalBackends();
  const redisWay = opening.use(await openSlowWay(Number(new URL(backends.redisUrl).port)));
  const natsWay = opening.use(await openSlowWay(Number(new URL(backends.natsUrl).port)));
  const vendors = areas.flatMap((area) => area.vendors);
  const suite = opening.use(
    await startSuite({
      backends: {
        ...backends,
        redisUrl: `redis://127.0.0.1:${redisWay.port}`,
        natsUrl: `nats://127.0.0.1:${natsWay.port}`,
      },
      services: "all",
      env,
      envOf,
      config: {
        groups: { default: { models: ["*"], limits: { concurrency: 100 } } },
        models: Object.fromEntries(vendors.flatMap(modelsOf)),
        channels: vendors.flatMap((vendor) => channelsOf(vendor, liar.url)),
        accounts: Object.fromEntries(
          payers.map(({ accountId, key }) => [accountId, { balance: "100.00", tokens: [{ key, group: "default" }] }]),
        ),
      },
    }),
  );
  liar.truth = suite.simulator.url;
  const open = opening.move();
  return {
    house: { suite, redisWay, natsWay },
    redisUrl: backends.redisUrl,
    natsUrl: backends.natsUrl,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function modelsOf(vendor: Vendor): readonly (readonly [string, object])[] {
  const { kind, price } = vendor;
  return (["two", "lone", "lied"] as const).map((ways) => [modelOf(vendor, ways), { kind, price }]);
}

function channelsOf(vendor: Vendor, liarUrl: string): readonly object[] {
  const { name, provider, path, upstreamModel, key } = vendor;
  const channel = (way: string, ways: readonly Ways[], priority: number, origin = "${SIMULATOR_URL}"): object => ({
    id: `${name}-${way}`,
    provider,
    baseUrl: `${origin}/at/${name}-${way}/${path}`,
    keys: [key ?? `key-of-${name}-${way}`],
    models: Object.fromEntries(ways.map((each) => [modelOf(vendor, each), upstreamModel])),
    priority,
    timeoutMs,
  });
  return [
    channel("main", ["two", "lone"], 1),
    channel("spare", ["two"], 0),
    ...(provider === "openai" && vendor.kind === "realtime" ? [] : [channel("liar", ["lied"], 0, liarUrl)]),
  ];
}
