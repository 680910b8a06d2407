import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const root = join(import.meta.dirname, "../../../..");
const configured = process.env["MODELGATE_PYTHON"] || globSync(join(root, ".tools/python-*/bin/python"))[0];

/** Path of a Python interpreter that has the packages of docs/requirements.txt; undefined if none is installed. */
export const python = configured !== undefined && existsSync(configured) ? configured : undefined;

const maxSeconds = 120;

export interface PythonPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface PythonEnd {
  readonly status: number;
  readonly output: string;
}

const pythonHasEnded: PythonEnd = { status: 1, output: "Python has ended" };

/** Runs samples of Python in forks of one process, so that each SDK is loaded once. See `forks.py`. */
export class PythonForks implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #outputs = mkdtempSync(join(tmpdir(), "modelgate-python-"));
  readonly #running = new Map<string, (status: number) => void>();
  #started = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(program: string) {
    this.#process = spawn(program, [join(import.meta.dirname, "forks.py")], { stdio: ["pipe", "pipe", "inherit"] });
    if (this.#process.stdout !== null)
      createInterface(this.#process.stdout).on("line", (line) => {
        const [id = "", status] = line.split(" ");
        this.#running.get(id)?.(Number(status));
      });
    this.#process.stdin?.on("error", () => undefined); // the process has ended, which "close" reports
    this.#process.once("close", () => {
      for (const end of this.#running.values()) end(1);
    });
  }

  /** Runs a sample after all earlier ones, whose modules it can use. */
  run(code: string, place: PythonPlace): Promise<PythonEnd> {
    const end = this.#last.then(() => this.#runNow(code, place));
    this.#last = end.catch(() => undefined);
    return end;
  }

  async #runNow(code: string, { folder, env }: PythonPlace): Promise<PythonEnd> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return pythonHasEnded;
    const id = String(this.#started++);
    const output = join(this.#outputs, id);
    const ended = new Promise<number>((resolve) => this.#running.set(id, resolve));
    this.#process.stdin?.write(`${JSON.stringify({ id, code, folder, env, output, seconds: maxSeconds })}\n`);
    const status = await ended;
    this.#running.delete(id);
    return existsSync(output) ? { status, output: readFileSync(output, "utf8") } : pythonHasEnded;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "close");
    this.#process.stdin?.end();
    await ended;
    rmSync(this.#outputs, { recursive: true });
  }
}
