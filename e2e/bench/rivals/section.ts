import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import { freePorts } from "@modelgate/deploy/local";
import { runLoad, readProportionalMemory } from "../measure.ts";
import { prepareStreams } from "../open-streams.ts";
import { options, report } from "../options.ts";
import { measureBytesPerCall } from "./bytes-per-call.ts";
import { measureAtRest } from "./at-rest.ts";
import { buildBifrost, nameOfBifrost, startBifrost } from "./bifrost.ts";
import { memoryOf, type Gateway } from "./gateways.ts";
import { kinds } from "./kinds.ts";
import { startLitellm } from "./litellm.ts";
import { nameOfOurs, startOurs } from "./ours.ts";
import { nameOfPortkey, startPortkey } from "./portkey.ts";
import { startStub } from "./start-stub.ts";
import { models } from "./stub-models.ts";
import { printTables } from "./table.ts";
import { takeTurns, warm } from "./turns.ts";

/** Measures both shapes of modelgate and other gateways with the same stub. */
const installed = join(import.meta.dirname, "../../../.tools/rivals"); // stays for the next run
/** Wait before memory is measured, in ms. Memory of a start is released within 90 s. */
const settleMs = options.quick ? 5_000 : 100_000;
const directRounds = 3;

const atRest = await measureAtRest();
const [portkeyPort = 0, litellmPort = 0, barePort = 0, governedPort = 0] = await freePorts(4);
await using started = new AsyncDisposableStack();
const stub = started.use(await startStub()).address;
const gatewayApart = await startIfPossible(nameOfOurs.apart, () => startOurs(stub, "apart"));
const gatewayInOne = await startIfPossible(nameOfOurs.one, () => startOurs(stub, "one"));
await setTimeout(settleMs);
const memoryApart =
  gatewayApart === undefined
    ? undefined
    : { resident: memoryOf(gatewayApart), proportional: memoryOf(gatewayApart, readProportionalMemory) };
// First, because a busy process does not release all memory. After a short wait, memory of the start is still released.
const perStream = gatewayInOne === undefined || options.quick ? undefined : await memoryPerStream(gatewayInOne);
const rivals = [
  await startIfPossible(nameOfPortkey, () => startPortkey(join(installed, "portkey"), portkeyPort, stub)),
  await startIfPossible("LiteLLM", () => startLitellm(join(installed, "litellm"), litellmPort, stub)),
  await startIfPossible(nameOfBifrost(false), () => startBuiltBifrost(barePort, false)),
  await startIfPossible(nameOfBifrost(true), () => startBuiltBifrost(governedPort, true)),
  ...(options.gateway ?? []).map(runningGateway),
];
const gateways = [gatewayInOne, gatewayApart, ...rivals].filter((gateway) => gateway !== undefined);
const ready = [];
for (const gateway of gateways) {
  const broken = await warm(gateway);
  for (const [kind, why] of broken) report(`${gateway.name}: ${kinds[kind].what}`, `not measured: ${why}`);
  ready.push({ gateway, broken });
}
const rounds = await takeTurns(ready);
const { body, connections, rate, seconds } = kinds.steady;
const direct = [];
for (let round = 0; round < directRounds; round++)
  direct.push(await runLoad({ url: `${stub}/v1/chat/completions`, headers: {}, body, connections, rate, seconds }));
printTables(gateways, {
  rounds,
  portkey: nameOfPortkey,
  direct,
  atRest,
  memoryApart,
  memoryPerStream: perStream,
});

for (const gateway of gateways) {
  const what = `${gateway.name}: allocated for ${kinds.chat.what}`;
  try {
    const bytes = await measureBytesPerCall(gateway);
    if (bytes !== undefined) report(what, `${(bytes / 1_000).toFixed(1)} kB`);
  } catch (error) {
    report(what, `not measured: ${error instanceof Error ? error.message : "it failed"}`);
  }
}

async function startBuiltBifrost(port: number, isGoverned: boolean): Promise<Gateway | undefined> {
  const folder = join(installed, "bifrost");
  const program = await buildBifrost(folder);
  return program === undefined ? undefined : startBifrost(program, folder, port, stub, isGoverned);
}

/** Returns the memory per open stream, in bytes. */
async function memoryPerStream(gateway: Gateway): Promise<number> {
  const count = 1_000;
  const words = {
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: "Hello" }],
  };
  using streams = prepareStreams({
    url: `${gateway.address}/v1/chat/completions`,
    headers: gateway.headers,
    body: JSON.stringify({ model: models.open, ...words }),
  });
  await streams.open(50); // loads code, which must not be counted
  const before = memoryOf(gateway);
  await streams.open(count);
  await setTimeout(1_000); // until garbage of opening them is collected
  return (memoryOf(gateway) - before) / count;
}

/** Starts a gateway, or reports why it cannot be started. */
async function startIfPossible<G extends Gateway>(
  name: string,
  starting: () => Promise<G | undefined>,
): Promise<G | undefined> {
  try {
    const gateway = await starting();
    if (gateway === undefined) report(name, "not measured: it cannot be installed here");
    else started.use(gateway);
    return gateway;
  } catch (error) {
    report(name, `not measured: ${error instanceof Error ? error.message.slice(0, 300) : "it failed"}`);
    return undefined;
  }
}

/** Returns a running gateway. Its CPU time is measured if `--pid` names its process. */
function runningGateway(url: string): Gateway {
  const { pid, key = "any" } = options;
  return {
    name: url,
    address: url.replace(/\/$/, ""),
    headers: { authorization: `Bearer ${key}` },
    parts: pid === undefined ? {} : { gateway: [Number(pid)] },
    servers: {},
    isOurs: false,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
