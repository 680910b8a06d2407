import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";

/** A process of ours: its output is kept, its end is awaited, and it never outlives us. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** The newest output, bounded. */
  logs(): string;
  /** Resolves with the exit status (or the signal's name) when the process has ended. */
  readonly ended: Promise<number | string>;
  readonly running: boolean;
  signal(name: NodeJS.Signals): void;
  /** Asks it to end, insists after a while, and waits for its end. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The user and group that it runs as; absent: ours. */
  readonly uid?: number;
  readonly gid?: number;
  /** Where output goes beside memory. */
  readonly logFile?: string | undefined;
  /** Called with every line that the process writes, to stdout or stderr. */
  readonly onLine?: (line: string) => void;
  /** What is still to be done when the process has ended, before that counts as its end. */
  readonly afterwards?: () => Promise<void>;
}

const maxOutputCharacters = 64 * 1024;
const insistAfterMs = 10_000;

/**
 * Ends a program that knows nothing of us when we are gone: it watches the pipe on its third descriptor, which
 * closes with our process however that ends. The watcher itself is killed outright: just forked it may still have
 * our trap, which would swallow a milder signal, and it would hold our pipes open for ever.
 */
const guarded = `"$@" 3<&- & child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT
( read -r _ <&3; kill -TERM "$child" 2>/dev/null ) & guard=$!
wait "$child"; status=$?
[ "$status" -le 128 ] || { wait "$child" 2>/dev/null; }
kill -KILL "$guard" 2>/dev/null
exit "$status"`;

/** Starts a program of others (a database server) so that it ends with us. */
export function spawnGuarded(options: ChildOptions): Child {
  const { command, args, env, uid, gid } = options;
  const child = spawn("/bin/sh", ["-c", guarded, "guard", command, ...args], {
    detached: true,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  return follow(child, options);
}

/** Starts a service of ours: it reports when it is ready, and ends by itself when we are gone. */
export function spawnService(options: ChildOptions): { readonly child: Child; readonly ready: Promise<void> } {
  const { command, args, env } = options;
  const process_ = spawn(command, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...env },
  });
  const child = follow(process_, options);
  const ready = new Promise<void>((resolve, reject) => {
    process_.on("message", () => resolve());
    void child.ended.then((status) => reject(new ChildEnded(child.name, status, child.logs())));
  });
  ready.catch(() => undefined); // a waiter gets it; without one it is not unhandled
  return { child, ready };
}

/** A process ended that should have gone on. */
export class ChildEnded extends Error {
  override readonly name = "ChildEnded";
  readonly status: number | string;
  readonly logs: string;
  constructor(child: string, status: number | string, logs: string) {
    super(`${child} ended with ${status}`);
    this.status = status;
    this.logs = logs;
  }
}

function follow(child: ChildProcess, { name, logFile, onLine, afterwards }: ChildOptions): Child {
  const file: WriteStream | undefined = logFile === undefined ? undefined : createWriteStream(logFile, { flags: "a" });
  let kept = "";
  let running = true;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      file?.write(chunk);
      kept = (kept + chunk).slice(-maxOutputCharacters);
    });
    if (stream && onLine !== undefined) createInterface({ input: stream }).on("line", onLine);
  }
  const closed = new Promise<number | string>((resolve) => {
    child.once("error", (error) => {
      kept += error.message;
      running = false;
      resolve(1);
    });
    child.once("close", (code, signal) => {
      running = false;
      file?.end();
      resolve(code ?? signal ?? 1);
    });
  });
  const ended = afterwards === undefined ? closed : closed.then((status) => afterwards().then(() => status));
  const pid = child.pid ?? 0;
  const signal = (word: NodeJS.Signals): void => {
    try {
      // The whole group: a guard and what it guards.
      if (running) process.kill(-pid, word);
    } catch {
      // ended in between
    }
  };
  return {
    name,
    pid,
    logs: () => kept,
    ended,
    get running() {
      return running;
    },
    signal,
    async stop(graceMs = insistAfterMs) {
      if (!running) {
        await ended;
        return;
      }
      signal("SIGTERM");
      const timer = setTimeout(() => signal("SIGKILL"), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
