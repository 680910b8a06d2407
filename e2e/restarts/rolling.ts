import { Agent } from "node:http";
import { freePorts, startServiceAlone, until, type AloneService } from "@modelgate/testkit";
import { openWayToReplicas, type WayToReplicas } from "../test/way-to-replicas.ts";
import { call, openSession, type House } from "./house.ts";

/** What is replaced: each service on the way of a call, or the process that runs them together. */
const programs = { apart: ["text", "realtime", "edge"], one: ["gateway"] } as const;
type Name = (typeof programs)[keyof typeof programs][number];
/** Clients that call again and again meanwhile, over connections that they keep. */
const others = 4;

/**
 * Replaces every replica of text, realtime and edge by a fresh one, as a cluster does: the fresh one beside the old one,
 * then SIGTERM to the old one. What came of the streams and sessions that were open all the while, as rows of a table.
 */
export async function rollingRestart(
  { suite, vendor }: House,
  { streams, sessions }: { readonly streams: number; readonly sessions: number },
): Promise<readonly (readonly [string, string])[]> {
  await using ways = new AsyncDisposableStack();
  const names = programs[suite.shape];
  const wayTo: Readonly<Record<Name, WayToReplicas>> = {
    text: ways.use(await openWayToReplicas()),
    realtime: ways.use(await openWayToReplicas()),
    edge: ways.use(await openWayToReplicas()),
    gateway: ways.use(await openWayToReplicas()),
  };
  const start = async (
    name: Name,
  ): Promise<{ readonly name: Name; readonly service: AloneService; readonly port: number }> => {
    const [port = 0] = await freePorts(1);
    const service = await startServiceAlone(
      name,
      {
        REDIS_URL: suite.backends.redisUrl,
        NATS_URL: suite.backends.natsUrl,
        MODELGATE_SECRET: suite.secret,
        TEXT_URL: wayTo.text.url,
        REALTIME_URL: wayTo.realtime.url,
        DRAIN_MS: "120000",
        ...(name === "gateway" ? { MODELGATE_SERVICES: "edge,text,realtime" } : {}),
        [name === "edge" || name === "gateway" ? "PORT" : `${name.toUpperCase()}_PORT`]: String(port),
      },
      { realtime: { slice: { audioSeconds: 0, textTokens: 100 } } },
    );
    ways.defer(() => service.stop());
    await until(`${name} to be ready`, async () => (await fetch(`${service.opsUrl}/readyz`)).ok, 60_000);
    return { name, service, port };
  };
  const old = [];
  for (const name of [...names, ...names] satisfies readonly Name[]) old.push(await start(name));
  for (const { name, port } of old) wayTo[name].ports.add(port);

  const { url } = wayTo[suite.shape === "one" ? "gateway" : "edge"];
  let begun = 0;
  const open = Array.from({ length: streams }, () => call(url, "endless", true, false, () => begun++));
  await until("every stream to begin", () => begun === streams, 120_000);
  const talks = await Promise.all(Array.from({ length: sessions }, () => openSession(url)));
  const state = { on: true, asked: 0, failed: 0 };
  const agent = new Agent({ keepAlive: true });
  const calling = Array.from({ length: others }, async () => {
    while (state.on) {
      state.asked++;
      const { status, whole } = await call(url, "chat", false, agent);
      if (status !== 200 || !whole) state.failed++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

  for (const { name, service, port } of old) {
    const fresh = await start(name);
    wayTo[name].ports.add(fresh.port);
    wayTo[name].ports.delete(port);
    service.signal("SIGTERM");
    await until("it to drain", () => service.logs().includes("draining"));
  }
  const spoke = await Promise.all(talks.map((talk) => talk.answered()));
  for (const talk of talks) talk.close();
  vendor.finish();
  const answers = await Promise.all(open);
  const whole = answers.filter(({ text, whole: isWhole }) => isWhole && text.trimEnd().endsWith("data: [DONE]"));
  const statuses = await Promise.all(old.map(({ service }) => service.ended));
  state.on = false;
  await Promise.all(calling);
  agent.destroy();
  return [
    [
      `replicas of ${names.join(", ")} replaced`,
      `${old.length} of ${old.length}, each ended with ${[...new Set(statuses)].join(", ")}`,
    ],
    ["streams that were open and came to their end", `${whole.length} of ${streams}`],
    ["sessions that were open and answered in the end", `${spoke.filter(Boolean).length} of ${sessions}`],
    ["other calls meanwhile that failed", `${state.failed} of ${state.asked}`],
  ];
}
