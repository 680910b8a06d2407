import { findAccount } from "@modelgate/accounts";
import { until } from "@modelgate/testkit";
import { areas } from "../chaos/areas/index.ts";
import { readOutcome, storedEvents, verifierOf } from "../chaos/books.ts";
import type { Seen } from "../chaos/clients.ts";
import { pause, type Attack, type Field, type Payer, type Tried } from "./attack.ts";
import { exchange, exchangeRaw } from "./client.ts";
import { partsOf, payerOf, type House } from "./house.ts";
import type { Row } from "./table.ts";
import { watch, type Watched } from "./watch.ts";

/** Longest that one attack may take. */
const attackMs = 90_000;
/** Longest that a service's event loop may be held while an attack lasts, in ms of its CPU time. */
const longestHoldMs = 500;
/** How long an attack that was stopped has to end: no request of it lasts longer. */
const endsMs = 25_000;
/** The other account's calls go on for at least so long. */
const watchedMs = 1_500;
const nanosPerDollar = 1e9;

/** Carries out one attack and looks at what it did to everybody. */
export async function carryOut(attack: Attack, house: House): Promise<Row> {
  const stopping = new AbortController();
  const field = fieldOf(attack, house, stopping.signal);
  await attack.prepare?.(field);
  const { suite, canaries, loops } = house;
  const area = areas.find(({ name }) => name === attack.area);
  if (area === undefined) throw new Error(`${attack.id}: there is no area ${attack.area}`);
  const bystander = payerOf(attack, "bystander");
  const served = async (): Promise<boolean> => {
    const requestId = `${attack.id}-ready`;
    const asking = {
      edgeUrl: suite.edgeUrl,
      key: bystander.key,
      requestId,
      ways: "lone",
      leaves: "never",
      turn: 0,
    } as const;
    const tries = await Promise.all(area.vendors.map((_, turn) => area.ask({ ...asking, turn })));
    return tries.every(({ failures }) => failures.length === 0);
  };
  await until(`${area.name} to serve before ${attack.id}`, served, attackMs);
  const watching = await watch(suite, { area, payer: bystander, name: `${attack.id}-bystander`, canaries, loops });
  const [outcome] = await Promise.all([attempt(attack, field, stopping), pause(watchedMs)]);
  const watched = await watching.stop();
  for (const name of watched.dead) await suite.restart(name);
  const broken = [
    ...outcome.broken,
    ...hurt(watched),
    ...canaries.take().map((leak) => `it leaks ${leak}`),
    ...(await wrongBooks(attack, house, watched.seen)),
  ];
  const { requests, failures } = watched.seen;
  const failed = [...failures.values()].reduce((all, count) => all + count, 0);
  return {
    name: attack.name,
    tried: outcome.tried,
    figure: outcome.figure,
    others: `${requests - failed} of ${requests}`,
    loop: `${Math.round(watched.loop.ms)} ms (${watched.loop.service})`,
    broken,
  };
}

/**
 * An attack that fails by itself, or does not end, has not shown that anything holds. One that does not end is stopped:
 * nothing more of it is sent, and the next begins when it is over.
 */
async function attempt(attack: Attack, field: Field, stopping: AbortController): Promise<Tried> {
  const late = new Error(`it ran longer than ${attackMs / 1_000} s`);
  const timer = setTimeout(() => stopping.abort(late), attackMs);
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopping.signal.addEventListener("abort", () => setTimeout(() => stop(late), endsMs));
  try {
    return await Promise.race([attack.run(field), stopped]);
  } catch (error) {
    return { tried: "–", figure: "–", broken: [error instanceof Error ? error.message : String(error)] };
  } finally {
    clearTimeout(timer);
  }
}

function hurt({ seen, loop, dead }: Watched): readonly string[] {
  const failures = [...seen.failures].map(([what, count]) => `${count} of another account's calls: ${what}`);
  return [
    ...failures,
    ...(seen.requests === 0 ? ["another account's calls were not answered at all"] : []),
    ...dead.map((name) => `${name} died`),
    ...(loop.ms > longestHoldMs ? [`${loop.service}'s event loop was held for ${Math.round(loop.ms)} ms`] : []),
  ];
}

/** Waits until nothing is held, then compares balances, receipts, events and log. */
async function wrongBooks(attack: Attack, { redis, suite }: House, seen: Seen): Promise<readonly string[]> {
  const unseen: Seen = { requests: 0, outcomes: new Map(), left: 0, failures: new Map() };
  const wrong: string[] = [];
  for (const part of partsOf(attack)) {
    const { accountId } = payerOf(attack, part);
    const eventsOf = (account: string) => storedEvents(suite.backends.natsUrl, account);
    const books = { redis, eventsOf, verify: verifierOf(suite) };
    const outcome = await readOutcome(books, accountId, part === "bystander" ? seen : unseen);
    const account = await findAccount(redis, accountId);
    if (outcome.books !== "agree") wrong.push(`books of ${part}: ${outcome.books}`);
    if (outcome.lost > 0) wrong.push(`${outcome.lost} events of ${part} lost`);
    if (outcome.double > 0) wrong.push(`${outcome.double} double charges of ${part}`);
    if (account === undefined || account.balanceNanos !== account.creditedNanos - account.spentNanos)
      wrong.push(`balance of ${part} is not credited - spent`);
    if (account !== undefined && account.availableNanos < 0n) wrong.push(`${part} has spent more than it had`);
  }
  return wrong;
}

function fieldOf(attack: Attack, house: House, signal: AbortSignal): Field {
  const { suite, vendors, inside, canaries, redis, loops, booksFile } = house;
  const attacker = payerOf(attack, "attacker");
  const model = (way: string): string => `${attack.id}-${way}`;
  const seen = (text: string): void => canaries.look("an answer", text);
  return {
    edgeUrl: suite.edgeUrl,
    suite,
    attacker,
    other: payerOf(attack, "other"),
    payers: Array.from({ length: attack.payers ?? 0 }, (_, at) => payerOf(attack, `payer-${at}`)),
    inside,
    loops,
    booksFile,
    model,
    asked: (way) => vendors.asked(model(way)),
    async send(sending) {
      signal.throwIfAborted();
      const answer = await exchange(suite.edgeUrl, attacker.key, sending);
      seen(JSON.stringify(answer.headers) + answer.body);
      return answer;
    },
    async raw(bytes) {
      signal.throwIfAborted();
      const text = await exchangeRaw(suite.edgeUrl, bytes);
      seen(text);
      return text;
    },
    async spent({ accountId }: Payer) {
      signal.throwIfAborted();
      const rested = await until(
        `nothing of ${accountId} to be held`,
        async () => {
          const account = await findAccount(redis, accountId);
          return account?.heldNanos === 0n && account;
        },
        30_000,
      );
      return Number(rested.spentNanos) / nanosPerDollar;
    },
    seen,
  };
}
