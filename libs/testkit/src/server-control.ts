import { readFileSync } from "node:fs";
import type { LocalServer } from "@modelgate/deploy/local";
import { until } from "./until.ts";

/** Server that a test controls. Its address stays the same after a restart. */
export interface ServerControl {
  /** Returns the process id of the server, not of the guard process that started it. */
  pid(): number;
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  /** Starts the server again on the same port and with the same files. */
  start(): Promise<void>;
}

/** Starts a server that a test controls. `stop` ends it normally. */
export async function controlServer(
  begin: () => Promise<LocalServer>,
): Promise<ServerControl & { stop(): Promise<void> }> {
  let server = await begin();
  return {
    pid: () => childOf(server.child.pid),
    pause: () => server.child.signal("SIGSTOP"),
    resume: () => server.child.signal("SIGCONT"),
    async kill() {
      const pid = childOf(server.child.pid);
      server.child.signal("SIGKILL");
      await server.child.ended;
      // A dying server closes its output, for which `ended` waits, before its sockets.
      await until("the killed server to end", () => !isRunning(pid));
    },
    async start() {
      server = await begin();
    },
    async stop() {
      server.child.signal("SIGCONT");
      await server.child.stop();
    },
  };
}

/** Returns the process id of the program that a guard process runs: its first child. */
function childOf(guard: number): number {
  const children = readFileSync(`/proc/${guard}/task/${guard}/children`, "utf8").trim().split(" ").map(Number);
  return children[0] ?? guard;
}

/** Returns whether a process runs. A process that has ended may remain as a zombie. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
