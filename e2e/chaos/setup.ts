import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  startLocalBackends,
  startLocalPostgres,
  startSuite,
  type LocalBackends,
  type Shape,
  type SuiteOptions,
} from "@modelgate/testkit";
import { modelOf, type Vendor, type Ways } from "./area.ts";
import { areas } from "./areas.ts";
import type { Engine, ChaosSetup } from "./faults.ts";
import { openSlowWay } from "./slow-way.ts";

/** An account of clients in one area. */
export interface Payer {
  readonly accountId: string;
  readonly key: string;
}

/** Maximum silence of a vendor. */
const timeoutMs = 2_000;
/** Videos that are polled often. */
export const quickVideo = {
  pace: { firstMs: 50, longestMs: 200 },
  tasks: { roundMs: 50, leaseMs: 1_500, pollTimeoutMs: 1_000 },
};
/** Sessions that hold little for their next response. */
export const smallSessions = { slice: { audioSeconds: 0, textTokens: 100 } };
/** Leases, lifetimes and pauses that let all come to rest soon after a fault. */
const limits = {
  relay: { limits: { leaseMs: 2_000 }, channelLeaseMs: 1_500 },
  edge: { seatLeaseMs: 1_500 },
  media: { images: { taskWaitMs: 4_000 } },
  // Longer than a service pauses between two tries to settle, after an outage as long as a fault.
  ledger: { rounds: { afterOutageMs: 6_000 } },
  video: quickVideo,
  realtime: { ...smallSessions, sessions: { idleMs: 3_000, lastUsageMs: 1_000, firstEventMs: 2_000 } },
};

/** Options of a suite for faults, without its connections and its books. */
export type ChaosOptions = { readonly engine: Engine } & Pick<
  SuiteOptions<LocalBackends>,
  "config" | "env" | "envOf" | "limits" | "services" | "shape"
>;

/** Returns the options of a suite with all areas: each vendor has two channels, and leases are short. */
export function allAreas(payers: readonly Payer[], engine: Engine, shape: Shape): ChaosOptions {
  const vendors = areas.flatMap((area) => area.vendors);
  const models = vendors.flatMap((vendor) =>
    (["two", "lone"] as const).map((ways) => [modelOf(vendor, ways), { kind: vendor.kind, price: vendor.price }]),
  );
  return {
    engine,
    shape,
    services: "all",
    limits,
    // A task outlives the restart of a process on a loaded machine.
    envOf: { video: { TASK_LIFETIME_MS: "30000" } },
    config: {
      groups: { default: { models: ["*"], limits: { concurrency: 100 } } },
      models: Object.fromEntries(models),
      channels: vendors.flatMap((vendor) => [
        channelOf(vendor, { way: "main", ways: ["two", "lone"], priority: 1 }),
        channelOf(vendor, { way: "spare", ways: ["two"] }),
      ]),
      accounts: accountsOf(payers),
    },
  };
}

/** Starts a suite whose servers can be slowed down, and whose books are in a separate server or file. */
export async function openChaosSetup({
  engine,
  envOf,
  ...options
}: ChaosOptions): Promise<ChaosSetup & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "modelgate-chaos-"));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const postgres = engine === "postgres" ? opening.use(await startLocalPostgres()) : undefined;
  const backends = await startLocalBackends();
  const redisPort = Number(new URL(backends.redisUrl).port);
  const redisWay = opening.use(await openSlowWay(redisPort));
  const natsWay = opening.use(await openSlowWay(Number(new URL(backends.natsUrl).port)));
  const ledgerWay = opening.use(await openSlowWay(natsWay.port));
  const suite = opening.use(
    await startSuite({
      ...options,
      backends: {
        ...backends,
        redisUrl: `redis://127.0.0.1:${redisWay.port}`,
        natsUrl: `nats://127.0.0.1:${natsWay.port}`,
      },
      env: { LOG_LEVEL: "error", ...options.env },
      envOf: {
        ...envOf,
        ledger: {
          ...(postgres === undefined ? { MODELGATE_DATA: folder } : { BOOKS_URL: postgres.url }),
          NATS_URL: `nats://127.0.0.1:${ledgerWay.port}`,
          ...envOf?.ledger,
        },
      },
    }),
  );
  const open = opening.move();
  return {
    suite,
    redisPort,
    redisWay,
    natsWay,
    ledgerWay,
    books: postgres === undefined ? { file: join(folder, "books.sqlite") } : { server: postgres.server },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Writes the accounts of payers as the configuration has them. */
export function accountsOf(payers: readonly Payer[], balance = "100.00"): object {
  return Object.fromEntries(
    payers.map(({ accountId, key }) => [accountId, { balance, tokens: [{ key, group: "default" }] }]),
  );
}

/** Writes a channel to one instance of a vendor, for the models of some ways. */
export function channelOf(
  vendor: Vendor,
  { way, ways, priority = 0 }: { way: string; ways: readonly Ways[]; priority?: number },
): object {
  const { name, provider, path, upstreamModel, key } = vendor;
  return {
    id: `${name}-${way}`,
    provider,
    baseUrl: `\${SIMULATOR_URL}/at/${name}-${way}/${path}`,
    keys: [key ?? `key-of-${name}-${way}`],
    models: Object.fromEntries(ways.map((each) => [modelOf(vendor, each), upstreamModel])),
    priority,
    timeoutMs,
  };
}
