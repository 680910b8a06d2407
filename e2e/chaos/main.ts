import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { until } from "@modelgate/testkit";
import type { Area, Ways } from "./area.ts";
import { areas } from "./areas/index.ts";
import { bookedEvents, readOutcome, storedEvents, verifierOf, type Outcome } from "./books.ts";
import { startClients, type Seen } from "./clients.ts";
import { faults, type Fault } from "./faults.ts";
import { openHouse, type Payer } from "./house.ts";
import { asTable, rowOf } from "./table.ts";

/**
 * The chaos run: the whole suite under load in every area, one fault after the other, and what each cost. Prints a
 * table and ends with 1 where an event was lost, a charge was made twice, or the books do not agree.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    only: { type: "string" },
    area: { type: "string" },
    books: { type: "string", default: "postgres" },
    json: { type: "boolean" },
  },
});
/** How long each fault lasts; a third of it before it and after it there is none. */
const faultMs = Number(values.seconds) * 1_000;
const quietMs = faultMs / 3;
/** Clients of an area that ask at once. */
const clientCount = 3;

/** What the books are in: `--books sqlite` for the file. */
const engine = values.books === "sqlite" ? "sqlite" : "postgres";
const chosenFaults = faults.filter(
  (fault) => (values.only === undefined || fault.name.includes(values.only)) && (fault.engine ?? engine) === engine,
);
const chosenAreas = areas.filter(({ name }) => values.area === undefined || name === values.area);

/** Who pays for an area's clients while a fault lasts: each fault's books are its own. */
const payerOf = (at: number, { name }: Area): Payer => ({
  accountId: `chaos-${at}-${name}`,
  key: `sk-chaos-0123456789-${at}-${name}`,
});

await using open = await openHouse(
  chosenFaults.flatMap((_, at) => chosenAreas.map((area) => payerOf(at, area))),
  engine,
);
const { house, natsUrl } = open;
const { edgeUrl, simulator } = house.suite;
const redis = new Redis(open.redisUrl, { maxRetriesPerRequest: null });
redis.on("error", () => undefined); // faults are meant to be

const rows: (readonly string[])[] = [];
let bad = 0;
for (const [at, fault] of chosenFaults.entries()) {
  const row = await live(fault, at);
  rows.push(row);
  if (!values.json) process.stdout.write(`${row.join(" | ")}\n`);
}
process.stdout.write(values.json ? `${JSON.stringify(rows)}\n` : `\n${asTable(chosenAreas, rows)}\n`);
redis.disconnect();
process.exitCode = bad > 0 ? 1 : 0;

/** Lives through one fault in all of its areas at once; its row of the table. */
async function live(fault: Fault, at: number): Promise<readonly string[]> {
  const within = chosenAreas.filter((area) => fault.within?.(area) ?? true);
  // The end of the fault before may still be felt.
  await Promise.all(within.map((area) => until(`${area.name} to serve`, () => serves(area, at), 60_000)));
  await Promise.all(within.flatMap(({ vendors }) => vendors.map(({ name }) => simulator.forget(`${name}-main`))));
  const clients = within.map((area) => {
    const { key } = payerOf(at, area);
    const leaves = fault.leaves ?? "never";
    const name = nameOf(at, area);
    return { area, ...startClients({ area, edgeUrl, key, count: clientCount, ways: fault.ways, leaves, name }) };
  });
  await pause(quietMs);
  await fault.begin(house);
  await pause(faultMs);
  await fault.end(house);
  await pause(quietMs);
  const results = await Promise.all(
    clients.map(async ({ area, stop }) => {
      const seen = await stop();
      return { area, seen, outcome: await outcomeOf(area, at, seen, fault) };
    }),
  );
  if (results.some(({ outcome: { lost, double, books } }) => lost > 0 || double > 0 || books !== "agree")) bad++;
  return rowOf(fault.name, chosenAreas, results);
}

async function outcomeOf(
  area: Area,
  at: number,
  seen: Seen,
  { refusing = false, losesStreams = false }: Fault,
): Promise<Outcome> {
  const eventsOf = (account: string) =>
    losesStreams ? bookedEvents(house.suite, account) : storedEvents(natsUrl, account);
  const outcome = await readOutcome(
    { redis, eventsOf, divergenceOf: verifierOf(house.suite) },
    payerOf(at, area).accountId,
    seen,
  );
  const repeated = (await area.repeated?.(house.suite, nameOf(at, area), refusing)) ?? 0;
  return { ...outcome, double: outcome.double + repeated };
}

/** The beginning of every request's id. */
function nameOf(at: number, { name }: Area): string {
  return `fault-${at}-${name}-`;
}

/** Whether an area serves again. */
async function serves(area: Area, at: number): Promise<boolean> {
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
