import { accessSync, constants, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { ChildEnded, spawnGuarded, type Child } from "./child.ts";
import { spawnContainer } from "./container.ts";

const root = join(import.meta.dirname, "../..");

/** Database server that this process has started. */
export interface LocalServer {
  readonly url: string;
  readonly child: Child;
}

export interface ServerOptions {
  readonly port: number;
  readonly folder: string;
  /** True if the data must survive a restart. */
  readonly keep: boolean;
  readonly logFile?: string | undefined;
  /** Port of the cluster bus, for a node of a Redis Cluster. */
  readonly clusterPort?: number;
  /** Further arguments. */
  readonly more?: readonly string[];
  /** Called as soon as the process exists, before it answers. */
  readonly onSpawn?: (child: Child) => void;
}

const answersWithinMs = 30_000;
const replyWithinMs = 1_000;
/** Prefix of an image in the bootstrap's variables. */
const imagePrefix = "docker:";

/** Returns the address of a local Redis server. */
export const redisAt = (port: number): string => `redis://127.0.0.1:${port}`;
/** Returns the address of a local NATS server. */
export const natsAt = (port: number): string => `nats://127.0.0.1:${port}`;

/** Starts redis-server on loopback and waits until it answers. */
export async function startRedis(options: ServerOptions): Promise<LocalServer> {
  const { port, keep, clusterPort, more = [] } = options;
  const cluster =
    clusterPort === undefined
      ? []
      : ["--cluster-enabled", "yes", "--cluster-port", String(clusterPort), "--cluster-announce-ip", "127.0.0.1"];
  const kind: ServerKind = {
    ...redisKind,
    name: "redis",
    args: (place) => [...redisPlace(place), "--save", "", "--appendonly", keep ? "yes" : "no", ...cluster, ...more],
  };
  return { url: redisAt(port), child: await startServer(kind, options) };
}

/** Starts a Sentinel on loopback and waits until it answers. It writes its state into its configuration file. */
export async function startSentinel(options: ServerOptions & { readonly configuration: string }): Promise<LocalServer> {
  const kind: ServerKind = {
    ...redisKind,
    name: "sentinel",
    args: (place) => [options.configuration, "--sentinel", ...redisPlace(place), ...(options.more ?? [])],
  };
  return { url: redisAt(options.port), child: await startServer(kind, options) };
}

const redisKind = {
  program: "redis-server",
  variable: "MODELGATE_REDIS_SERVER",
  containerPort: 6379,
  // The image expects a private network; here its port is on loopback only.
  argsInContainer: ["--protected-mode", "no"],
  hello: "PING\r\n",
  // While Redis loads its data, it answers with an error.
  welcome: "+PONG",
} as const;

const redisPlace = (place: ServerPlace): readonly string[] => [
  "--port",
  String(place.port),
  "--bind",
  place.host,
  "--dir",
  place.folder,
];

/** Starts nats-server with JetStream on loopback and waits until it answers. */
export async function startNats(options: ServerOptions): Promise<LocalServer> {
  const kind: ServerKind = {
    name: "nats",
    program: "nats-server",
    variable: "MODELGATE_NATS_SERVER",
    containerPort: 4222,
    args: (place) => ["-js", "-a", place.host, "-p", String(place.port), "-sd", place.folder, ...(options.more ?? [])],
    argsInContainer: [],
    hello: "",
    welcome: "INFO",
  };
  return { url: natsAt(options.port), child: await startServer(kind, options) };
}

export interface ServerPlace {
  readonly host: string;
  readonly port: number;
  readonly folder: string;
}

/** Kind of server: its program, its arguments, and how it answers. */
export interface ServerKind {
  readonly name: string;
  readonly program: string;
  /** Variable of the bootstrap: `docker:<image>`, or a path. */
  readonly variable: string;
  /** Port of the server in a container. */
  readonly containerPort: number;
  readonly args: (place: ServerPlace) => readonly string[];
  readonly argsInContainer: readonly string[];
  /** Request that makes the server answer; empty if the server sends first. */
  readonly hello: string;
  /** Start of a ready server's answer. */
  readonly welcome: string;
  /** Creates the files that the server needs before its start. */
  readonly prepare?: (program: string, folder: string) => Promise<void>;
  /** User to run as, if the server refuses the user of this process. */
  readonly user?: ServerUser;
}

/** User and group by number. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Starts a server with the bootstrap's program, or else with an installed one. */
export async function startServer(kind: ServerKind, { port, folder, logFile, onSpawn }: ServerOptions): Promise<Child> {
  const { name, containerPort } = kind;
  mkdirSync(folder, { recursive: true });
  const configured = process.env[kind.variable];
  let child: Child;
  if (configured?.startsWith(imagePrefix)) {
    const args = [...kind.args({ host: "0.0.0.0", port: containerPort, folder: "/data" }), ...kind.argsInContainer];
    const image = configured.slice(imagePrefix.length);
    child = spawnContainer({ name, image, command: kind.program, args, port, containerPort, folder, logFile });
  } else {
    const command = configured ?? findProgram(kind.program);
    if (command === undefined)
      throw new Error(
        `There is no ${kind.program} on this machine: install it, set ${kind.variable} to its path, or set the address of a running one.`,
      );
    await kind.prepare?.(command, folder);
    const args = kind.args({ host: "127.0.0.1", port, folder });
    child = spawnGuarded({ name, command, args, logFile, ...kind.user });
  }
  onSpawn?.(child);
  await untilReady(child, port, kind);
  return child;
}

/** Folders in which Debian installs PostgreSQL, the newest first. */
const debianPostgres = ["18", "17", "16", "15"].map((version) => `/usr/lib/postgresql/${version}/bin`);

/** Returns the path of a program, also in folders that are often not on PATH. */
export function findProgram(name: string): string | undefined {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/sbin",
    "/usr/local/sbin",
    join(root, ".tools/debian/bin"),
    join(root, ".tools/debian-chromium/bin"),
    ...debianPostgres,
    join(root, ".tools/debian-postgres/bin"),
  ];
  return folders
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the server is ready. Otherwise ends it and rejects with its last output. */
async function untilReady(child: Child, port: number, kind: ServerKind): Promise<void> {
  const until = Date.now() + answersWithinMs;
  while (child.running) {
    if (await isReady(port, kind)) return;
    if (Date.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await child.stop();
  throw new ChildEnded(child.name, await child.ended, child.logs());
}

/** Returns whether the server answers as expected. A container accepts connections before its server runs. */
function isReady(port: number, { hello, welcome }: ServerKind): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.setTimeout(replyWithinMs);
    socket.once("connect", () => socket.write(hello));
    const end = (serves: boolean): void => {
      socket.destroy();
      resolve(serves);
    };
    socket.once("data", (bytes: Buffer) => end(bytes.toString().startsWith(welcome)));
    for (const event of ["error", "timeout", "close"] as const) socket.once(event, () => end(false));
  });
}
