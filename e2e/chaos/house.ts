import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalBackends, startLocalPostgres, startSuite, type Shape } from "@modelgate/testkit";
import { modelOf, type Vendor, type Ways } from "./area.ts";
import { areas } from "./areas/index.ts";
import type { ChaosBooks, House } from "./faults.ts";
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
const leases = { relay: { limits: { leaseMs: 2_000 }, channelLeaseMs: 1_500 }, edge: { seatLeaseMs: 1_500 } };
/** Videos that are looked at often. */
export const quickVideo = {
  pace: { firstMs: 50, longestMs: 200 },
  tasks: { roundMs: 50, leaseMs: 1_500, pollTimeoutMs: 1_000 },
};
/** Tasks that fail soon. */
export const shortTasks = { TASK_LIFETIME_MS: "8000" };
/** Sessions that hold little for their next response. */
export const smallSessions = { slice: { audioSeconds: 0, textTokens: 100 } };
const limits = {
  ...leases,
  media: { images: { taskWaitMs: 4_000 } },
  // Longer than a service pauses between two tries to settle, after an outage as long as a fault.
  ledger: { rounds: { afterOutageMs: 6_000 } },
  video: quickVideo,
  realtime: { ...smallSessions, sessions: { idleMs: 3_000, lastUsageMs: 1_000, firstEventMs: 2_000 } },
};

/** Starts everything, with a way of its own to each vendor: two channels, one, or one that lies. */
export async function openHouse(
  payers: readonly Payer[],
  engine: ChaosBooks["engine"],
  shape: Shape,
): Promise<OpenHouse> {
  await using opening = new AsyncDisposableStack();
  const { books, env: whereBooksAre } = await openBooks(opening, engine);
  const liar = opening.use(await startLiar());
  const backends = await startLocalBackends();
  const redisPort = Number(new URL(backends.redisUrl).port);
  const redisWay = opening.use(await openSlowWay(redisPort));
  const natsPort = Number(new URL(backends.natsUrl).port);
  const natsWay = opening.use(await openSlowWay(natsPort));
  const ledgerWay = opening.use(await openSlowWay(natsWay.port));
  const vendors = areas.flatMap((area) => area.vendors);
  const suite = opening.use(
    await startSuite({
      shape,
      backends: {
        ...backends,
        redisUrl: `redis://127.0.0.1:${redisWay.port}`,
        natsUrl: `nats://127.0.0.1:${natsWay.port}`,
      },
      services: "all",
      limits,
      env: { LOG_LEVEL: "error" },
      envOf: {
        video: shortTasks,
        ledger: { ...whereBooksAre, NATS_URL: `nats://127.0.0.1:${ledgerWay.port}` },
      },
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
    house: { suite, redisPort, redisWay, natsWay, ledgerWay, books },
    redisUrl: backends.redisUrl,
    natsUrl: backends.natsUrl,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** A PostgreSQL of this machine, or a folder for the file; and how the ledger is given it. */
async function openBooks(
  opening: AsyncDisposableStack,
  engine: ChaosBooks["engine"],
): Promise<{ readonly books: ChaosBooks; readonly env: Readonly<Record<string, string>> }> {
  if (engine === "postgres") {
    const { url, server } = opening.use(await startLocalPostgres());
    return { books: { engine, server }, env: { BOOKS_URL: url } };
  }
  const folder = mkdtempSync(join(tmpdir(), "modelgate-chaos-"));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  return { books: { engine, file: join(folder, "books.sqlite") }, env: { MODELGATE_DATA: folder } };
}

function modelsOf(vendor: Vendor): readonly (readonly [string, object])[] {
  const { kind, price } = vendor;
  return (["two", "lone", "lied"] as const).map((ways) => [modelOf(vendor, ways), { kind, price }]);
}

/** A channel to one instance of a vendor, for the models of some ways. */
export function channelOf(
  vendor: Vendor,
  {
    way,
    ways,
    priority = 0,
    origin = "${SIMULATOR_URL}",
  }: { way: string; ways: readonly Ways[]; priority?: number; origin?: string },
): object {
  const { name, provider, path, upstreamModel, key } = vendor;
  return {
    id: `${name}-${way}`,
    provider,
    baseUrl: `${origin}/at/${name}-${way}/${path}`,
    keys: [key ?? `key-of-${name}-${way}`],
    models: Object.fromEntries(ways.map((each) => [modelOf(vendor, each), upstreamModel])),
    priority,
    timeoutMs,
  };
}

function channelsOf(vendor: Vendor, liarUrl: string): readonly object[] {
  const lies = !(vendor.provider === "openai" && vendor.kind === "realtime");
  return [
    channelOf(vendor, { way: "main", ways: ["two", "lone"], priority: 1 }),
    channelOf(vendor, { way: "spare", ways: ["two"] }),
    ...(lies ? [channelOf(vendor, { way: "liar", ways: ["lied"], origin: liarUrl })] : []),
  ];
}
