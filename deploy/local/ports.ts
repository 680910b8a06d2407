import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/**
 * Range of the ports to choose from: below those that Linux and macOS assign to outgoing connections, which could take
 * a port between its choice and its use.
 */
const [lowestPort, highestPort] = [15_000, 32_000];
/** Number of ports that are tried per requested port. */
const triesEach = 100;

/**
 * Returns different free ports of this machine. They are reserved against other callers of this function until this
 * process ends, so that servers may start late and restart.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const claimed: number[] = [];
  for (let tries = 0; claimed.length < count; tries++) {
    if (tries > count * triesEach) throw new Error(`no ${count} free ports from ${lowestPort} to ${highestPort}`);
    const port = randomInt(lowestPort, highestPort);
    if ((await isFree(port, "127.0.0.1")) && (await reserve(port))) claimed.push(port);
  }
  return claimed;
}

/** Returns true if a port can be listened on now. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Reserves a port for this process, unless another process has reserved it. Binds the unused UDP port of the same
 * number, which is freed when the process ends in any way.
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
