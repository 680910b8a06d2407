import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { freePorts, startServiceAlone, until, type AloneService, type Limits, type Suite } from "@modelgate/testkit";
import { sharedEnv } from "./replica.ts";

/** Load balancer that sends each new connection to the next replica. */
export interface LoadBalancer extends AsyncDisposable {
  readonly url: string;
  /** Ports of the replicas that get new connections. */
  readonly ports: Set<number>;
}

/** Starts a load balancer. It closes connections while it has no replicas. */
export async function openLoadBalancer(): Promise<LoadBalancer> {
  const ports = new Set<number>();
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const port = [...ports][turn++ % ports.size] ?? 0;
    const replica = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    for (const [socket, other] of [
      [client, replica],
      [replica, client],
    ] as const) {
      open.add(socket);
      socket
        .on("error", () => other.destroy())
        .on("close", () => open.delete(socket))
        .pipe(other);
    }
  });
  server.listen(0, "127.0.0.1", 4_096);
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    ports,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Programs that can have replicas in tests. */
export type Replicated = "edge" | "text" | "realtime" | "gateway";

/** Replica that is ready. It gets connections only after its port was added to the load balancer. */
export interface ReplicaBehindBalancer {
  readonly service: AloneService;
  readonly balancer: LoadBalancer | undefined;
  readonly port: number;
}

/** Starts a replica with the stores of a suite. It calls other services through their load balancers. */
export async function startReplicaOf(
  name: Replicated,
  suite: Suite,
  balancers: Readonly<Partial<Record<Replicated, LoadBalancer | undefined>>>,
  { env = {}, limits = {} }: { readonly env?: Readonly<Record<string, string>>; readonly limits?: Limits } = {},
): Promise<ReplicaBehindBalancer> {
  const [port = 0] = await freePorts(1);
  const variable = name === "edge" || name === "gateway" ? "PORT" : `${name.toUpperCase()}_PORT`;
  const service = await startServiceAlone(
    name,
    {
      ...sharedEnv(suite),
      TEXT_URL: balancers.text?.url ?? "",
      REALTIME_URL: balancers.realtime?.url ?? "",
      ...env,
      [variable]: String(port),
    },
    limits,
  );
  await until(`${name} to be ready`, async () => (await fetch(`${service.opsUrl}/readyz`)).ok, 60_000);
  return { service, balancer: balancers[name], port };
}
