import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/**
 * Where free ports are looked for: below those that Linux and macOS give to outgoing connections, one of which would
 * sooner or later take a port between its choice and its use.
 */
const [lowest, highest] = [15_000, 32_000];
/** Ports that are tried for each that is wanted. */
const triesEach = 100;

/**
 * So many free ports of this machine, all different, and kept from everybody else who asks here until this process ends:
 * their users may begin late, end and begin again.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const claimed: number[] = [];
  for (let tries = 0; claimed.length < count; tries++) {
    if (tries > count * triesEach) throw new Error(`no ${count} free ports from ${lowest} to ${highest}`);
    const port = randomInt(lowest, highest);
    if ((await isFree(port, "127.0.0.1")) && (await claim(port))) claimed.push(port);
  }
  return claimed;
}

/** Whether a port can be listened on now. */
export function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Takes a port for this process, unless another has: with the UDP port of the same number, which is not used here and
 * which goes back by itself with the process, however that ends.
 */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const mark = createSocket("udp4");
    mark.once("error", () => resolve(false));
    mark.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      mark.unref();
      resolve(true);
    });
  });
}
