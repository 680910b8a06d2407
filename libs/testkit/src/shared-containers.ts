import { writeFileSync } from "node:fs";
import { connect } from "nats";
import type { Backends } from "./backends.ts";
import { startContainers, type Containers } from "./containers.ts";
import { redisCommand } from "./redis-command.ts";
import { markerOf, workerPrefixOf } from "./run-names.ts";

const connectionsEndWithinMs = 5_000;
const pollMs = 20;

/** Numbers of this worker's pairs of containers that are in use. */
const usedNumbers = new Set<number>();
/** All pairs of containers of this worker, by their number. */
const containersByNumber = new Map<number, Containers>();

/**
 * Returns empty containers of Redis and NATS, which the test files of this worker use in turn. They stay until the run
 * ends. A file that leaves connections, or changes the configuration of Redis, does not share them with the next one.
 */
export async function useSharedContainers(): Promise<Backends> {
  let number = 0;
  while (usedNumbers.has(number)) number++;
  usedNumbers.add(number);
  const containers = await openEmptyContainers(number);
  const configuration = await configurationOf(containers);
  return {
    ...containers,
    async [Symbol.asyncDispose]() {
      if ((await configurationOf(containers)) !== configuration) await remove(number, containers);
      usedNumbers.delete(number);
    },
  };
}

async function openEmptyContainers(number: number): Promise<Containers> {
  const containers = containersByNumber.get(number) ?? (await start(number));
  if (await empty(containers)) return containers;
  await remove(number, containers);
  return start(number);
}

async function start(number: number): Promise<Containers> {
  writeFileSync(markerOf(process.ppid), "");
  const containers = await startContainers(`${workerPrefixOf(process.ppid)}${process.env["VITEST_POOL_ID"]} ${number}`);
  containersByNumber.set(number, containers);
  return containers;
}

async function remove(number: number, containers: Containers): Promise<void> {
  containersByNumber.delete(number);
  await containers[Symbol.asyncDispose]();
}

/** Removes all data, scripts and statistics. Returns false if something is still connected. */
async function empty(containers: Containers): Promise<boolean> {
  for (const end = Date.now() + connectionsEndWithinMs; await isConnected(containers);) {
    if (Date.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  for (const command of ["CLIENT UNPAUSE", "FLUSHALL", "SCRIPT FLUSH", "CONFIG RESETSTAT"])
    await redisCommand(containers.redisPort, command);
  const nats = await connect({ servers: containers.natsUrl });
  try {
    const { streams } = await nats.jetstreamManager();
    for await (const name of streams.names()) await streams.delete(name);
  } finally {
    await nats.close();
  }
  return true;
}

async function isConnected({ redisPort, natsMonitorUrl }: Containers): Promise<boolean> {
  const clients = await redisCommand(redisPort, "CLIENT LIST");
  const connections = await (await fetch(`${natsMonitorUrl}/connz`)).text();
  // One client is always listed: the connection that sends the command.
  return (
    clients.split("\n").filter((line) => line.startsWith("id=")).length > 1 ||
    !/"num_connections": 0\b/.test(connections)
  );
}

function configurationOf({ redisPort }: Containers): Promise<string> {
  return redisCommand(redisPort, "CONFIG GET *");
}
