import { readFileSync } from "node:fs";
import type { LocalServer } from "@modelgate/deploy/local";

/** A server under a test's hand; its address stays the same. */
export interface ServerControl {
  /** The server's own process. */
  pid(): number;
  pause(): void;
  resume(): void;
  /** Ends it without a word. */
  kill(): Promise<void>;
  /** Starts it again on the same port and files. */
  start(): Promise<void>;
}

/** Starts a server and puts it under a test's hand; `stop` is its proper end. */
export async function control(begin: () => Promise<LocalServer>): Promise<ServerControl & { stop(): Promise<void> }> {
  let server = await begin();
  return {
    pid: () => childOf(server.child.pid),
    pause: () => server.child.signal("SIGSTOP"),
    resume: () => server.child.signal("SIGCONT"),
    async kill() {
      server.child.signal("SIGKILL");
      await server.child.ended;
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

/** The program that a guard watches over: its first child. */
function childOf(guard: number): number {
  const children = readFileSync(`/proc/${guard}/task/${guard}/children`, "utf8").trim().split(" ").map(Number);
  return children[0] ?? guard;
}
