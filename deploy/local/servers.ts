import { accessSync, constants, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { ChildEnded, spawnGuarded, type Child } from "./child.ts";
import { spawnContainer } from "./container.ts";

const root = join(import.meta.dirname, "../..");

/** A database server of this machine that we started. */
export interface LocalServer {
  readonly url: string;
  readonly child: Child;
}

export interface ServerOptions {
  readonly port: number;
  /** Where it keeps its files. */
  readonly folder: string;
  /** Whether files are written through: the demo keeps its money over a restart, a test does not. */
  readonly keep: boolean;
  readonly logFile?: string | undefined;
  /** Port of the cluster's own conversation: the server is then a node of a Redis Cluster that is still to be made. */
  readonly clusterPort?: number;
  /** More arguments; not used in a container. */
  readonly more?: readonly string[];
  /** Called with the process as soon as there is one, long before it answers. */
  readonly onSpawn?: (child: Child) => void;
}

const answersWithinMs = 10_000;
const wordWithinMs = 1_000;
/** How the bootstrap says that an image is to be run. */
const docker = "docker:";

/** The address of a Redis of ours. */
export const redisAt = (port: number): string => `redis://127.0.0.1:${port}`;
/** The address of a NATS of ours. */
export const natsAt = (port: number): string => `nats://127.0.0.1:${port}`;

/** Starts redis-server on loopback and waits until it answers. */
export async function startRedis(options: ServerOptions): Promise<LocalServer> {
  const { port, keep, clusterPort, more = [] } = options;
  const cluster =
    clusterPort === undefined
      ? []
      : ["--cluster-enabled", "yes", "--cluster-port", String(clusterPort), "--cluster-announce-ip", "127.0.0.1"];
  const durability = keep ? ["--appendonly", "yes", "--appendfsync", "everysec"] : ["--appendonly", "no"];
  const kind: ServerKind = {
    ...redisKind,
    name: "redis",
    args: (at) => [...redisPlace(at), "--save", "", ...durability, ...cluster, ...more],
  };
  return { url: redisAt(port), child: await startServer(kind, options) };
}

/**
 * Starts a Sentinel on loopback and waits until it answers. It keeps what it learns in its configuration file, which
 * must be there before and be its own.
 */
export async function startSentinel(options: ServerOptions & { readonly configuration: string }): Promise<LocalServer> {
  const kind: ServerKind = {
    ...redisKind,
    name: "sentinel",
    args: (at) => [options.configuration, "--sentinel", ...redisPlace(at), ...(options.more ?? [])],
  };
  return { url: redisAt(options.port), child: await startServer(kind, options) };
}

const redisKind = {
  program: "redis-server",
  variable: "MODELGATE_REDIS_SERVER",
  inside: 6379,
  // Its image is for private networks; ours is published on loopback alone.
  argsInContainer: ["--protected-mode", "no"],
  hello: "PING\r\n",
  // While it loads what it kept it says so, to everything.
  welcome: "+PONG",
} as const;

const redisPlace = (at: ServerPlace): readonly string[] => [
  "--port",
  String(at.port),
  "--bind",
  at.host,
  "--dir",
  at.folder,
];

/** Starts nats-server with JetStream on loopback and waits until it answers. */
export async function startNats(options: ServerOptions): Promise<LocalServer> {
  const kind: ServerKind = {
    name: "nats",
    program: "nats-server",
    variable: "MODELGATE_NATS_SERVER",
    inside: 4222,
    args: (at) => ["-js", "-a", at.host, "-p", String(at.port), "-sd", at.folder, ...(options.more ?? [])],
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

/** One kind of server: its program, how it is started, and how it says that it serves. */
export interface ServerKind {
  readonly name: string;
  readonly program: string;
  /** Where the bootstrap says what to run: `docker:<image>`, or a path. */
  readonly variable: string;
  /** The port in a container. */
  readonly inside: number;
  readonly args: (at: ServerPlace) => readonly string[];
  readonly argsInContainer: readonly string[];
  /** What makes it say something; nothing where it speaks first. */
  readonly hello: string;
  /** How its first word begins once it serves. */
  readonly welcome: string;
  /** What must be in its folder before it starts. */
  readonly prepare?: (program: string, folder: string) => Promise<void>;
  /** The user that it runs as, where it refuses to run as ours. */
  readonly user?: ServerUser;
}

/** A user and group of this machine, by their numbers. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Runs a server as the bootstrap says, else by what is on this machine. */
export async function startServer(kind: ServerKind, { port, folder, logFile, onSpawn }: ServerOptions): Promise<Child> {
  const { name, inside } = kind;
  mkdirSync(folder, { recursive: true });
  const named = process.env[kind.variable];
  let child: Child;
  if (named?.startsWith(docker)) {
    const args = [...kind.args({ host: "0.0.0.0", port: inside, folder: "/data" }), ...kind.argsInContainer];
    const image = named.slice(docker.length);
    child = spawnContainer({ name, image, command: kind.program, args, port, inside, folder, logFile });
  } else {
    const command = named ?? findProgram(kind.program);
    if (command === undefined)
      throw new Error(
        `There is no ${kind.program} on this machine: install it, or set ${kind.variable} or the address of a running one.`,
      );
    await kind.prepare?.(command, folder);
    const args = kind.args({ host: "127.0.0.1", port, folder });
    child = spawnGuarded({ name, command, args, logFile, ...kind.user });
  }
  onSpawn?.(child);
  await answering(child, port, kind);
  return child;
}

/** Where Debian puts PostgreSQL, which it keeps off PATH; the newest first. */
const debianPostgres = ["18", "17", "16", "15"].map((version) => `/usr/lib/postgresql/${version}/bin`);

/** A program on PATH, in the folders that PATH of users leaves out, or among the repository's own tools. */
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

/** Resolves when the server serves; rejects with its last words where it ends before. */
async function answering(child: Child, port: number, kind: ServerKind): Promise<void> {
  const until = Date.now() + answersWithinMs;
  while (child.running) {
    if (await answers(port, kind)) return;
    if (Date.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await child.stop();
  throw new ChildEnded(child.name, await child.ended, child.logs());
}

/** Whether the right word comes back: that a connection is accepted says nothing, a container's is before its server runs. */
function answers(port: number, { hello, welcome }: ServerKind): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.setTimeout(wordWithinMs);
    socket.once("connect", () => socket.write(hello));
    const end = (serves: boolean): void => {
      socket.destroy();
      resolve(serves);
    };
    socket.once("data", (bytes: Buffer) => end(bytes.toString().startsWith(welcome)));
    for (const event of ["error", "timeout", "close"] as const) socket.once(event, () => end(false));
  });
}
