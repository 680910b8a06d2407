/** What is used of the global of that name; the types of Node have none for it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => WasiModule;
  readonly Instance: new (module: WasiModule, imports: object) => { readonly exports: WasiExports };
};

/** A compiled program. */
export type WasiModule = object;

interface WasiExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _start(): void;
}

/** Numbers of WASI preview 1: errors, kinds of files, and all rights there are. */
const [success, badDescriptor, isPipe] = [0, 8, 70];
const [characterDevice, directory, regularFile] = [2, 3, 4];
const allRights = 0x1fff_ffffn;
/** A root folder, and the file that the program opens in it. */
const [rootDescriptor, fileDescriptor] = [3, 4];
const rootName = Buffer.from("/");

/** Compiles a program. Throws WebAssembly.CompileError for anything else. */
export function compileCommand(bytes: Uint8Array): WasiModule {
  return new WebAssembly.Module(bytes);
}

/**
 * Runs a program of WASI preview 1 with its arguments (the first is its name) and gives what it wrote into a file at any
 * path. It sees nothing of this machine: no files, no clock, no environment. Throws Error with the program's complaints
 * where it fails.
 */
export function runCommand(module: WasiModule, args: readonly string[]): Buffer {
  return new Command(args).run(module);
}

/** How a program says that it is over. */
class Exit extends Error {
  override readonly name = "Exit";
  readonly status: number;

  constructor(status: number) {
    super(`the program ended with ${status}`);
    this.status = status;
  }
}

class Command {
  readonly #args: readonly Buffer[];
  readonly #written: Buffer[] = [];
  readonly #complaints: Buffer[] = [];
  #exports: WasiExports | undefined;

  constructor(args: readonly string[]) {
    this.#args = args.map((arg) => Buffer.from(`${arg}\0`));
  }

  run(module: WasiModule): Buffer {
    this.#exports = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.#imports() }).exports;
    try {
      this.#exports._start();
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      if (error.status !== 0) throw new Error(this.#complaint(), { cause: error });
    }
    return Buffer.concat(this.#written);
  }

  #complaint(): string {
    return Buffer.concat(this.#complaints).toString().trim();
  }

  /** The memory as it is now: it moves when it grows. */
  get #memory(): DataView {
    if (this.#exports === undefined) throw new Error("the program has not begun");
    return new DataView(this.#exports.memory.buffer);
  }

  #put(bytes: Uint8Array, at: number): void {
    new Uint8Array(this.#memory.buffer).set(bytes, at);
  }

  /** The functions that a program may call. What it has no need of is refused. */
  #imports(): Readonly<Record<string, (...numbers: number[]) => number>> {
    return {
      ...this.#ofArguments(),
      ...this.#ofFolder(),
      fd_write: (descriptor = 0, vectors = 0, count = 0, written = 0) =>
        this.#write(descriptor, vectors, count, written),
      fd_read: (_descriptor, _vectors, _count, written = 0) => this.#store(written, 0),
      fd_seek: () => isPipe,
      fd_close: () => success,
      fd_fdstat_set_flags: () => success,
      clock_time_get: () => success,
      proc_exit: (status = 0) => {
        throw new Exit(status);
      },
    };
  }

  #ofArguments(): Readonly<Record<string, (...numbers: number[]) => number>> {
    return {
      args_sizes_get: (count = 0, size = 0) => {
        this.#store(count, this.#args.length);
        return this.#store(
          size,
          this.#args.reduce((sum, { length }) => sum + length, 0),
        );
      },
      args_get: (pointers = 0, bytes = 0) => {
        let at = bytes;
        for (const [index, arg] of this.#args.entries()) {
          this.#store(pointers + 4 * index, at);
          this.#put(arg, at);
          at += arg.length;
        }
        return success;
      },
    };
  }

  #ofFolder(): Readonly<Record<string, (...numbers: number[]) => number>> {
    return {
      fd_prestat_get: (descriptor, into = 0) => {
        if (descriptor !== rootDescriptor) return badDescriptor;
        this.#memory.setUint32(into, 0, true);
        return this.#store(into + 4, rootName.length);
      },
      fd_prestat_dir_name: (_descriptor, into = 0) => {
        this.#put(rootName, into);
        return success;
      },
      fd_fdstat_get: (descriptor = 0, into = 0) => {
        if (descriptor > fileDescriptor) return badDescriptor;
        this.#put(new Uint8Array(24), into);
        this.#memory.setUint8(into, kindOf(descriptor));
        this.#memory.setBigUint64(into + 8, allRights, true);
        this.#memory.setBigUint64(into + 16, allRights, true);
        return success;
      },
      path_open: (...numbers) => this.#store(numbers.at(-1) ?? 0, fileDescriptor),
    };
  }

  #write(descriptor: number, vectors: number, count: number, written: number): number {
    let length = 0;
    for (let at = vectors; at < vectors + 8 * count; at += 8) {
      const [from, bytes] = [this.#memory.getUint32(at, true), this.#memory.getUint32(at + 4, true)];
      const piece = Buffer.copyBytesFrom(new Uint8Array(this.#memory.buffer, from, bytes));
      (descriptor === fileDescriptor ? this.#written : this.#complaints).push(piece);
      length += bytes;
    }
    return this.#store(written, length);
  }

  #store(at: number, value: number): number {
    this.#memory.setUint32(at, value, true);
    return success;
  }
}

function kindOf(descriptor: number): number {
  if (descriptor === rootDescriptor) return directory;
  return descriptor === fileDescriptor ? regularFile : characterDevice;
}
