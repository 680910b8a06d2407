import { Redis } from "ioredis";
import { until, type Shape } from "@modelgate/testkit";
import type { Area, Ways } from "./area.ts";
import { areas } from "./areas/index.ts";
import { bookedEvents, readOutcome, storedEvents, verifierOf, type Outcome } from "./books.ts";
import { startClients, type Seen } from "./clients.ts";
import { faults, type ChaosBooks, type Fault } from "./faults.ts";
import { openHouse, type OpenHouse, type Payer } from "./house.ts";
import { rowOf } from "./table.ts";

/** Which faults a run has, in which areas, and for how long each. */
export interface FaultRun {
  readonly seconds: number;
  readonly only: string | undefined;
  readonly area: string | undefined;
  /** What the books are in. */
  readonly engine: ChaosBooks["engine"];
  /** How the services are laid out. */
  readonly shape: Shape;
  /** Called with each row as it is ready. */
  readonly seen: (row: readonly string[]) => void;
}

/** What all faults came to. */
export interface FaultResult {
  readonly areas: readonly Area[];
  readonly rows: readonly (readonly string[])[];
  /** Faults that lost an event, charged twice, or left books that do not agree. */
  readonly bad: number;
}

/** What one fault is lived through with. */
interface Round extends OpenHouse {
  readonly areas: readonly Area[];
  readonly redis: Redis;
  readonly faultMs: number;
}

/** Clients of an area that ask at once. */
const clientCount = 3;

/** Who pays for an area's clients while a fault lasts: each fault's books are its own. */
const payerOf = (at: number, { name }: Area): Payer => ({
  accountId: `chaos-${at}-${name}`,
  key: `sk-chaos-0123456789-${at}-${name}`,
});

/** Lives through one fault after the other, in all areas at once. */
export async function runFaults({ seconds, only, area, engine, shape, seen }: FaultRun): Promise<FaultResult> {
  const chosen = faults.filter(
    (fault) =>
      (only === undefined || fault.name.includes(only)) &&
      (fault.engine ?? engine) === engine &&
      (fault.shape ?? shape) === shape,
  );
  const chosenAreas = areas.filter(({ name }) => area === undefined || name === area);
  const payers = chosen.flatMap((_, at) => chosenAreas.map((each) => payerOf(at, each)));
  await using open = await openHouse(payers, engine, shape);
  const redis = new Redis(open.redisUrl, { maxRetriesPerRequest: null });
  redis.on("error", () => undefined); // faults are meant to be
  const rows: (readonly string[])[] = [];
  let bad = 0;
  for (const [at, fault] of chosen.entries()) {
    const { row, isBad } = await live({ ...open, areas: chosenAreas, redis, faultMs: seconds * 1_000 }, fault, at);
    if (isBad) bad++;
    rows.push(row);
    seen(row);
  }
  redis.disconnect();
  return { areas: chosenAreas, rows, bad };
}

/** Lives through one fault in all of its areas at once; its row of the table. A third of it before and after there is none. */
async function live(
  round: Round,
  fault: Fault,
  at: number,
): Promise<{ readonly row: readonly string[]; readonly isBad: boolean }> {
  const { house, faultMs } = round;
  const { edgeUrl, simulator } = house.suite;
  const within = round.areas.filter((area) => fault.within?.(area) ?? true);
  // The end of the fault before may still be felt.
  await Promise.all(within.map((area) => until(`${area.name} to serve`, () => serves(edgeUrl, area, at), 60_000)));
  await Promise.all(within.flatMap(({ vendors }) => vendors.map(({ name }) => simulator.forget(`${name}-main`))));
  const clients = within.map((area) => {
    const { key } = payerOf(at, area);
    const leaves = fault.leaves ?? "never";
    const name = nameOf(at, area);
    return { area, ...startClients({ area, edgeUrl, key, count: clientCount, ways: fault.ways, leaves, name }) };
  });
  await pause(faultMs / 3);
  await fault.begin(house);
  await pause(faultMs);
  await fault.end(house);
  await pause(faultMs / 3);
  const results = await Promise.all(
    clients.map(async ({ area, stop }) => {
      const seen = await stop();
      await pause(fault.settlesWithinMs ?? 0);
      return { area, seen, outcome: await outcomeOf(round, area, at, seen, fault) };
    }),
  );
  return {
    row: rowOf(fault.name, round.areas, results),
    isBad: results.some(({ outcome: { lost, double, books } }) => lost > 0 || double > 0 || books !== "agree"),
  };
}

async function outcomeOf(
  { house, redis, natsUrl }: Round,
  area: Area,
  at: number,
  seen: Seen,
  { refusing = false, losesStreams = false }: Fault,
): Promise<Outcome> {
  const eventsOf = (account: string) =>
    losesStreams ? bookedEvents(house.suite, account) : storedEvents(natsUrl, account);
  const books = { redis, eventsOf, verify: verifierOf(house.suite) };
  const outcome = await readOutcome(books, payerOf(at, area).accountId, seen);
  const repeated = (await area.repeated?.(house.suite, nameOf(at, area), refusing)) ?? 0;
  return { ...outcome, double: outcome.double + repeated };
}

/** The beginning of every request's id. */
function nameOf(at: number, { name }: Area): string {
  return `fault-${at}-${name}-`;
}

/** Whether an area serves again. */
async function serves(edgeUrl: string, area: Area, at: number): Promise<boolean> {
  const ways: Ways = "lone";
  const asking = {
    edgeUrl,
    key: payerOf(at, area).key,
    requestId: `ready-${at}`,
    ways,
    leaves: "never",
    turn: 0,
  } as const;
  const turns = area.vendors.map((_, turn) => area.ask({ ...asking, turn }));
  return (await Promise.all(turns)).every(({ failures }) => failures.length === 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
