import { accessSync, constants, mkdirSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { ChildEnded, spawnGuarded, type Child } from "./child.ts";

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
  /** Told of the process as soon as there is one, long before it answers. */
  readonly onSpawn?: (child: Child) => void;
}

const answersWithinMs = 10_000;

/** Starts redis-server on loopback and waits until it answers. */
export async function startRedis({ port, folder, keep, logFile, onSpawn }: ServerOptions): Promise<LocalServer> {
  mkdirSync(folder, { recursive: true });
  const durability = keep ? ["--appendonly", "yes", "--appendfsync", "everysec"] : ["--appendonly", "no"];
  const { command, args } = program("redis-server", "MODELGATE_REDIS_SERVER", port, 6379);
  const own = command === "docker" ? [] : ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  const child = spawnGuarded({ name: "redis", command, args: [...args, ...own, "--save", "", ...durability], logFile });
  onSpawn?.(child);
  await answering(child, port);
  return { url: `redis://127.0.0.1:${port}`, child };
}

/** Starts nats-server with JetStream on loopback and waits until it answers. */
export async function startNats({ port, folder, logFile, onSpawn }: ServerOptions): Promise<LocalServer> {
  mkdirSync(folder, { recursive: true });
  const { command, args } = program("nats-server", "MODELGATE_NATS_SERVER", port, 4222);
  const own = command === "docker" ? ["-js"] : ["-js", "-a", "127.0.0.1", "-p", String(port), "-sd", folder];
  const child = spawnGuarded({ name: "nats", command, args: [...args, ...own], logFile });
  onSpawn?.(child);
  await answering(child, port);
  return { url: `nats://127.0.0.1:${port}`, child };
}

/** How to run a server: the bootstrap's word (`docker:<image>` or a path), else what is on this machine. */
function program(
  name: string,
  variable: string,
  port: number,
  inside: number,
): { readonly command: string; readonly args: readonly string[] } {
  const told = process.env[variable];
  if (told?.startsWith("docker:")) {
    return {
      command: "docker",
      args: ["run", "--rm", "-p", `127.0.0.1:${port}:${inside}`, told.slice("docker:".length), name],
    };
  }
  const found = told ?? findProgram(name);
  if (found === undefined)
    throw new Error(
      `There is no ${name} on this machine: install it, or set ${variable} or the address of a running one.`,
    );
  return { command: found, args: [] };
}

/** A program on PATH, in the folders that PATH of users leaves out, or among the repository's own tools. */
export function findProgram(name: string): string | undefined {
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    "/usr/sbin",
    "/usr/local/sbin",
    join(root, ".tools/debian/bin"),
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

/** Resolves when something listens on the port; rejects with the server's last words where it ends before. */
async function answering(child: Child, port: number): Promise<void> {
  const until = Date.now() + answersWithinMs;
  while (child.running) {
    if (await accepts(port)) return;
    if (Date.now() > until) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await child.stop();
  throw new ChildEnded(child.name, await child.ended, child.logs());
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
