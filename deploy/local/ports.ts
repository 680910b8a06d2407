import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** Range of ports below those of outgoing connections, which could occupy a port before its use. */
const [lowestPort, highestPort] = [15_000, 32_000];
/** Number of attempts per port. */
const triesEach = 100;

/** Returns free ports. Other callers do not get them until this process ends, so servers may start late and restart. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const claimed: number[] = [];
  for (let tries = 0; claimed.length < count; tries++) {
    if (tries > count * triesEach) throw new Error(`no ${count} free ports from ${lowestPort} to ${highestPort}`);
    const port = randomInt(lowestPort, highestPort);
    if ((await isFree(port, "127.0.0.1")) && (await reserve(port))) claimed.push(port);
  }
  return claimed;
}

/** Returns whether a port can be listened on now. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Reserves a port for this process, by the unused UDP port of the same number. It is freed when the process ends in any
 * way.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const mark = createSocket("udp4");
    mark.once("error", () => resolve(false));
    mark.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      mark.unref();
      resolve(true);
    });
  });
}
