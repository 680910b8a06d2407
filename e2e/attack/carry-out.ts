import { setTimeout as pause } from "node:timers/promises";
import { findAccount } from "@modelgate/accounts";
import { until } from "@modelgate/testkit";
import { areas } from "../chaos/areas.ts";
import { readOutcome } from "../chaos/books.ts";
import { emptyStatistics, startClients, type CallStatistics } from "../chaos/clients.ts";
import { exchange, exchangeRaw } from "../chaos/exchange.ts";
import { untilServed } from "../chaos/run-faults.ts";
import type { Attack, AttackContext, AttackResult } from "./attack.ts";
import { rolesOf, accountOfRole, type AttackSetup } from "./setup.ts";
import { watchedServices } from "./loops.ts";
import type { Row } from "./table.ts";

/** Maximum ms of an attack, and maximum ms until it ends after it was stopped. */
const [attackMs, endsMs] = [90_000, 25_000];
/** Maximum CPU time in ms for which a service's event loop may be blocked. */
const maxBlockedMs = 500;
/**
 * Minimum time in ms in which another account calls, and interval in ms of searches in the logs. A service keeps only
 * its newest lines.
 */
const [watchedMs, logIntervalMs] = [1_500, 250];
const nanosPerDollar = 1e9;

/** Runs an attack while another account calls, and checks all results. */
export async function runAttack(attack: Attack, setup: AttackSetup): Promise<Row> {
  const { suite, canaries, loops } = setup;
  const stopping = new AbortController();
  const context = contextOf(attack, setup, stopping.signal);
  await attack.prepare?.(context);
  const area = areas.find(({ name }) => name === attack.area);
  if (area === undefined) throw new Error(`${attack.id}: there is no area ${attack.area}`);
  const { key } = accountOfRole(attack, "bystander");
  await untilServed(suite, area, key);
  await loops.begin();
  const checkLogs = (): void => {
    for (const service of watchedServices) canaries.search(`the log of ${service}`, suite.process(service).logs());
  };
  const timer = setInterval(checkLogs, logIntervalMs);
  const others = startClients({
    area,
    load: { clients: 1 },
    edgeUrl: suite.edgeUrl,
    key,
    channelCount: "lone",
    disconnects: "never",
    name: `${attack.id}-bystander-`,
  });
  const [outcome] = await Promise.all([attempt(attack, context, stopping), pause(watchedMs)]);
  const statistics = await others.stop();
  clearInterval(timer);
  checkLogs();
  const dead = watchedServices.filter((service) => !suite.process(service).running);
  const worstBlock = await loops.readWorst(watchedServices.filter((service) => !dead.includes(service)));
  for (const name of dead) await suite.restart(name);
  const failed = [...statistics.failures.values()].reduce((all, count) => all + count, 0);
  return {
    name: attack.name,
    tried: outcome.tried,
    figure: outcome.figure,
    others: `${statistics.requests - failed} of ${statistics.requests}`,
    loop: `${Math.round(worstBlock.ms)} ms (${worstBlock.service})`,
    failedChecks: [
      ...outcome.failedChecks,
      ...[...statistics.failures].map(([what, count]) => `${count} of another account's calls: ${what}`),
      ...(statistics.requests === 0 ? ["another account's calls were not answered at all"] : []),
      ...dead.map((name) => `${name} died`),
      ...(worstBlock.ms > maxBlockedMs
        ? [`${worstBlock.service}'s event loop was blocked for ${Math.round(worstBlock.ms)} ms`]
        : []),
      ...canaries.takeFound().map((leak) => `it leaks ${leak}`),
      ...(await findWrongBooks(attack, setup, statistics)),
    ],
  };
}

/** Runs an attack until its end or its maximum duration. An exception is a failed check. */
async function attempt(attack: Attack, context: AttackContext, stopping: AbortController): Promise<AttackResult> {
  const late = new Error(`the attack ran longer than ${attackMs / 1_000} s`);
  const timer = setTimeout(() => stopping.abort(late), attackMs);
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopping.signal.addEventListener("abort", () => setTimeout(() => stop(late), endsMs));
  try {
    return await Promise.race([attack.run(context), stopped]);
  } catch (error) {
    return { tried: "–", figure: "–", failedChecks: [error instanceof Error ? error.message : String(error)] };
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for all settlements, then compares the books of every account of the attack with its events. */
async function findWrongBooks(
  attack: Attack,
  { redis, suite }: AttackSetup,
  statistics: CallStatistics,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const role of rolesOf(attack)) {
    const { accountId } = accountOfRole(attack, role);
    const outcome = await readOutcome(suite, redis, accountId, role === "bystander" ? statistics : emptyStatistics());
    const account = await findAccount(redis, accountId);
    if (outcome.books !== "agree") wrong.push(`books of ${role}: ${outcome.books}`);
    if (outcome.lostEvents > 0) wrong.push(`${outcome.lostEvents} events of ${role} lost`);
    if (outcome.unchargedAnswers > 0) wrong.push(`${outcome.unchargedAnswers} answers of ${role} not charged`);
    if (outcome.doubleCharges > 0) wrong.push(`${outcome.doubleCharges} double charges of ${role}`);
    if (account === undefined || account.balanceNanos !== account.creditedNanos - account.spentNanos)
      wrong.push(`balance of ${role} is not credited - spent`);
    if (account !== undefined && account.availableNanos < 0n) wrong.push(`${role} has spent more than it had`);
  }
  return wrong;
}

function contextOf(attack: Attack, setup: AttackSetup, signal: AbortSignal): AttackContext {
  const { suite, vendors, internalServer, canaries, redis, loops, booksFile } = setup;
  const attacker = accountOfRole(attack, "attacker");
  const model = (name: string): string => `${attack.id}-${name}`;
  const searchSecrets = (text: string): void => canaries.search("an answer", text);
  const send: AttackContext["send"] = async (sending) => {
    signal.throwIfAborted();
    const answer = await exchange(suite.edgeUrl, attacker.key, sending);
    searchSecrets(JSON.stringify(answer.headers) + answer.body);
    return answer;
  };
  const readSpending: AttackContext["readSpending"] = async ({ accountId }) => {
    signal.throwIfAborted();
    const settledAccount = await until(`${accountId} to have no open hold`, async () => {
      const account = await findAccount(redis, accountId);
      return account?.heldNanos === 0n && account;
    });
    return Number(settledAccount.spentNanos) / nanosPerDollar;
  };
  return {
    edgeUrl: suite.edgeUrl,
    suite,
    attacker,
    other: accountOfRole(attack, "other"),
    internalServer,
    loops,
    booksFile,
    model,
    requests: (name) => vendors.requests(model(name)),
    send,
    async sendAll(sendings) {
      const answers = [];
      for (const sending of sendings) answers.push(await send(sending));
      return answers;
    },
    async sendFromEach(sendings) {
      const [answers, spendings]: [Awaited<ReturnType<typeof send>>[], number[]] = [[], []];
      for (const [at, sending] of sendings.entries()) {
        const account = accountOfRole(attack, `extra-${at}`);
        answers.push(await send({ ...sending, key: account.key }));
        spendings.push(await readSpending(account));
      }
      return { answers, spendings };
    },
    async sendRaw(bytes) {
      signal.throwIfAborted();
      const text = await exchangeRaw(suite.edgeUrl, bytes);
      searchSecrets(text);
      return text;
    },
    readSpending,
    searchSecrets,
  };
}
