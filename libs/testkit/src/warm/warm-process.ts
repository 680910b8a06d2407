import { spawn, type ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { builtProgram } from "@modelgate/build";
import { ChildEnded, type Child } from "@modelgate/deploy/local";
import { runEndMark, type WarmOrder } from "./orders.ts";

/** Started program. */
export interface Started {
  readonly child: Child;
  readonly ready: Promise<void>;
}

/** Program of a run, and all its variables. */
export interface Run {
  readonly name: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

const maxOutputCharacters = 64 * 1024;
const killAfterMs = 10_000;

/** Process that runs a service's program repeatedly. It ends when this process ends. */
export class WarmProcess {
  runs = 0;
  readonly #process: ChildProcess;
  readonly #ended: Promise<number | string>;
  #canRun = true;
  #output = "";
  #runEnd = Promise.withResolvers<void>();

  constructor(command: string, flags: readonly string[]) {
    this.#process = spawn(command, [...flags, builtProgram("warm")], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const { stdout, stderr } = this.#process;
    for (const stream of [stdout, stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        this.#output = (this.#output + chunk).slice(-maxOutputCharacters);
        if (this.#output.includes(runEndMark)) this.#runEnd.resolve();
      });
    const { promise, resolve } = Promise.withResolvers<number | string>();
    this.#ended = promise;
    this.#process.once("error", (error) => {
      this.#output += error.message;
      this.#canRun = false;
      resolve(1);
    });
    this.#process.once("close", (code, signal) => {
      this.#canRun = false;
      resolve(code ?? signal ?? 1);
    });
  }

  get canRun(): boolean {
    return this.#canRun && this.#process.connected;
  }

  /** Starts a run. The process behaves as if it ran only that program. */
  start({ name, program, env }: Run): Started {
    this.runs++;
    this.#output = "";
    this.#runEnd = Promise.withResolvers();
    this.#keepParentAlive(true);
    const runEnded = this.#runEnd.promise;
    const ended = Promise.race([runEnded.then(() => 0), this.#ended]);
    let logs: string | undefined;
    void ended.then(() => (logs = this.#output.replace(runEndMark, "")));
    const child = this.#childOf(name, ended, () => logs ?? this.#output);
    const ready = new Promise<void>((resolve, reject) => {
      this.#process.once("message", () => resolve());
      void ended.then((status) => reject(new ChildEnded(name, status, child.logs())));
    });
    ready.catch(() => undefined); // without a caller that waits, the rejection would be unhandled
    this.#order({ run: program, env });
    return { child, ready };
  }

  /** Ends the run. Returns true if the process can run another program. */
  async finish(): Promise<boolean> {
    const timer = setTimeout(() => this.#signal("SIGKILL"), killAfterMs);
    this.#order({ end: true });
    await Promise.race([this.#runEnd.promise, this.#ended]);
    clearTimeout(timer);
    if (this.canRun) this.#keepParentAlive(false);
    return this.canRun;
  }

  async end(): Promise<void> {
    this.#keepParentAlive(true);
    this.#signal("SIGKILL");
    await this.#ended;
  }

  #childOf(name: string, ended: Promise<number | string>, logs: () => string): Child {
    let running = true;
    void ended.then(() => (running = false));
    const signal = (word: NodeJS.Signals): void => {
      if (running) this.#signal(word);
    };
    return {
      name,
      pid: this.#process.pid ?? 0,
      logs,
      ended,
      get running() {
        return running;
      },
      signal,
      async stop(graceMs = killAfterMs) {
        signal("SIGTERM");
        const timer = setTimeout(() => signal("SIGKILL"), graceMs);
        await ended;
        clearTimeout(timer);
      },
    };
  }

  #order(order: WarmOrder): void {
    if (this.#process.connected) this.#process.send(order);
  }

  #signal(word: NodeJS.Signals): void {
    try {
      // A negative id signals the process group, which includes child processes.
      if (this.#canRun) process.kill(-(this.#process.pid ?? 0), word);
    } catch {
      // the process has already ended
    }
  }

  #keepParentAlive(keep: boolean): void {
    const method = keep ? "ref" : "unref";
    const { channel, stdout, stderr } = this.#process;
    this.#process[method]();
    channel?.[method]();
    for (const stream of [stdout, stderr]) if (stream instanceof Socket) stream[method]();
  }
}
