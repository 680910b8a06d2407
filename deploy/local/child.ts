import { spawn, type ChildProcess } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { createInterface } from "node:readline";

/** Child process, which ends with this process. */
export interface Child {
  readonly name: string;
  readonly pid: number;
  /** Returns the newest output, up to a limit. */
  logs(): string;
  /** Resolves with the exit status or the signal's name. */
  readonly ended: Promise<number | string>;
  readonly running: boolean;
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM and, after `graceMs`, SIGKILL. Resolves at the end of the process. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** User and group of the process; if absent, those of this process. */
  readonly uid?: number;
  readonly gid?: number;
  readonly logFile?: string | undefined;
  /** Called with every line of stdout and stderr. */
  readonly onLine?: (line: string) => void;
  /** Runs at the end of the process. `ended` waits for it. */
  readonly afterwards?: () => Promise<void>;
}

const maxOutputCharacters = 64 * 1024;
const killAfterMs = 10_000;

/**
 * Shell script that runs a program and ends it with this process. The third descriptor is a pipe that closes with this
 * process. The watching subshell needs SIGKILL, because after its fork it may still have the trap.
 */
const guardScript = `"$@" 3<&- & child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM INT
( read -r _ <&3; kill -TERM "$child" 2>/dev/null ) & guard=$!
wait "$child"; status=$?
[ "$status" -le 128 ] || { wait "$child" 2>/dev/null; }
kill -KILL "$guard" 2>/dev/null
exit "$status"`;

/** Starts another program, such as a database server, so that it ends with this process. */
export function spawnGuarded(options: ChildOptions): Child {
  const { command, args, env, uid, gid } = options;
  const child = spawn("/bin/sh", ["-c", guardScript, "guard", command, ...args], {
    detached: true,
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  return followProcess(child, options);
}

/** Starts a service of this repository. It reports when it is ready, and ends with this process. */
export function spawnService(options: ChildOptions): { readonly child: Child; readonly ready: Promise<void> } {
  const { command, args, env } = options;
  const process_ = spawn(command, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...env },
  });
  const child = followProcess(process_, options);
  const ready = new Promise<void>((resolve, reject) => {
    process_.on("message", () => resolve());
    void child.ended.then((status) => reject(new ChildEnded(child.name, status, child.logs())));
  });
  ready.catch(() => undefined); // without a waiter, the rejection would be unhandled
  return { child, ready };
}

/** Error for a process that ended unexpectedly. */
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

function followProcess(child: ChildProcess, { name, logFile, onLine, afterwards }: ChildOptions): Child {
  const file: WriteStream | undefined = logFile === undefined ? undefined : createWriteStream(logFile, { flags: "a" });
  let output = "";
  let running = true;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      file?.write(chunk);
      output = (output + chunk).slice(-maxOutputCharacters);
    });
    if (stream && onLine !== undefined) createInterface({ input: stream }).on("line", onLine);
  }
  const closed = new Promise<number | string>((resolve) => {
    child.once("error", (error) => {
      output += error.message;
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
      // Signals the process group: the script and its program.
      if (running) process.kill(-pid, word);
    } catch {
      // The process has already ended.
    }
  };
  return {
    name,
    pid,
    logs: () => output,
    ended,
    get running() {
      return running;
    },
    signal,
    async stop(graceMs = killAfterMs) {
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
