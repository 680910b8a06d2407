import { randomInt } from "node:crypto";
import { createServer, type Server } from "node:net";

/**
 * Where free ports are looked for: below those that Linux and macOS give to outgoing connections, one of which would
 * sooner or later take a port between its choice and its use.
 */
const [lowest, highest] = [15_000, 32_000];
/** Ports that are tried for each that is wanted. */
const triesEach = 100;

/** So many free ports of this machine, all different: taken together, then let go for their users. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const taken: { readonly port: number; readonly server: Server }[] = [];
  try {
    for (let tries = 0; taken.length < count; tries++) {
      if (tries > count * triesEach) throw new Error(`no ${count} free ports from ${lowest} to ${highest}`);
      const port = randomInt(lowest, highest);
      const server = await listen(port).catch(() => undefined);
      if (server !== undefined) taken.push({ port, server });
    }
  } finally {
    await Promise.all(taken.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  }
  return taken.map(({ port }) => port);
}

/** Whether a port can be listened on now. */
export async function isFree(port: number, host: string): Promise<boolean> {
  try {
    const server = await listen(port, host);
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch {
    return false;
  }
}

function listen(port: number, host = "127.0.0.1"): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}
