import { Agent } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "@modelgate/testkit";
import {
  openLoadBalancer,
  startReplicaOf,
  type ReplicaBehindBalancer,
  type Replicated,
} from "../test/load-balancer.ts";
import { call, openSession, type Answer, type RestartSetup } from "./setup.ts";

export interface Rollout {
  /** Old replicas in the order of their replacement. Clients call the last one. */
  readonly names: readonly Replicated[];
  readonly streams: number;
  readonly sessions: number;
  /** Variables of the old and of the new replicas. */
  readonly env?: { readonly old: Variables; readonly fresh: Variables };
  /** Runs before the replacement, and after it while the streams are still open. Clients call the address. */
  readonly around?: { before(url: string): Promise<void>; after(url: string): Promise<void> };
}

type Variables = Readonly<Record<string, string>>;

export interface RolloutResult {
  /** Number of open streams while the old replicas drain. */
  readonly openStreams: number;
  readonly streams: readonly Answer[];
  /** Answers to complete calls during the rollout. */
  readonly otherAnswers: readonly Answer[];
  /** True for each session that was answered after the rollout. */
  readonly sessions: readonly boolean[];
  /** Exit statuses of the old replicas. */
  readonly exitStatuses: readonly (number | string)[];
  /** Number of new replicas that still run after the rollout. */
  readonly runningReplicas: number;
}

/** Number of clients of complete calls, and pause in ms after an old replica begins to drain. */
const [otherClients, connectionsEndMs] = [4, 300];
const replicaOptions = {
  env: { DRAIN_MS: "120000" },
  limits: { realtime: { slice: { audioSeconds: 0, textTokens: 100 } } },
};

/** Replaces replicas under load as a cluster does: starts a new one, then sends SIGTERM to the old one. */
export async function rollOut(
  { suite, vendor }: RestartSetup,
  { names, streams, sessions, env, around }: Rollout,
): Promise<RolloutResult> {
  await using opened = new AsyncDisposableStack();
  const balancers = {
    text: opened.use(await openLoadBalancer()),
    realtime: opened.use(await openLoadBalancer()),
    edge: opened.use(await openLoadBalancer()),
    gateway: opened.use(await openLoadBalancer()),
  };
  const start = async (name: Replicated, variables: Variables = {}): Promise<ReplicaBehindBalancer> => {
    const services = name === "gateway" ? { MODELGATE_SERVICES: "edge,text,realtime" } : {};
    const replica = await startReplicaOf(name, suite, balancers, {
      ...replicaOptions,
      env: { ...replicaOptions.env, ...services, ...variables },
    });
    opened.use(replica.service);
    return replica;
  };
  const old = await Promise.all(names.map((name) => start(name, env?.old)));
  for (const { balancer, port } of old) balancer?.ports.add(port);
  const fresh = await Promise.all(names.map((name) => start(name, env?.fresh)));

  const { url } = balancers[names.at(-1) ?? "edge"];
  await until("calls to pass", async () => (await call(url, { model: "chat", id: "ready" })).status === 200);
  await around?.before(url);
  let begun = 0;
  const openCalls = Array.from({ length: streams }, (_, at) =>
    call(url, { model: "endless", id: `stream-${at}`, stream: true, onBegin: () => begun++ }),
  );
  await until("every stream to begin", () => begun === streams, 120_000);
  const talks = await Promise.all(Array.from({ length: sessions }, () => openSession(url)));
  const answers: Answer[] = [];
  const state = { on: true };
  const agent = new Agent({ keepAlive: true });
  const calling = Array.from({ length: otherClients }, async (_, client) => {
    while (state.on) {
      answers.push(await call(url, { model: "chat", id: `other-${client}-${answers.length}`, agent }));
      await pause(20 * (client + 1));
    }
  });

  for (const [at, { balancer, service, port }] of old.entries()) {
    balancer?.ports.add(fresh[at]?.port ?? 0);
    balancer?.ports.delete(port);
    service.signal("SIGTERM");
    await until("the replica to drain", () => service.logs().includes("draining"));
    await pause(connectionsEndMs);
  }
  await around?.after(url);
  const openStreams = vendor.open;
  const answered = await Promise.all(talks.map((talk) => talk.requestAnswer()));
  for (const talk of talks) talk.close();
  vendor.finish();
  const ended = await Promise.all(openCalls);
  // Idle connections of clients must not keep the old replicas from ending.
  await until("the old replicas to end", () => old.every(({ service }) => !service.running));
  const exitStatuses = await Promise.all(old.map(({ service }) => service.ended));
  state.on = false;
  await Promise.all(calling);
  agent.destroy();
  const running = fresh.filter(({ service }) => service.running).length;
  return {
    openStreams,
    streams: ended,
    otherAnswers: answers,
    sessions: answered,
    exitStatuses,
    runningReplicas: running,
  };
}

/** Returns true if an answer arrived completely. */
export function isWhole({ status, text, whole }: Answer, of: "plain" | "stream"): boolean {
  if (status !== 200 || !whole) return false;
  return of === "plain" || (text.includes('"usage":{') && text.trimEnd().endsWith("data: [DONE]"));
}
