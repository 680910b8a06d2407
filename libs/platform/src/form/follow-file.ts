import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder, Holding } from "../buffer-budget.ts";
import type { FormFile } from "./form-file.ts";

/**
 * A form's file while it is written to disk. It has no name in the file system, so that it is deleted when it is
 * disposed or the process ends.
 */
export interface IncomingSpoolFile extends AsyncDisposable {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** File descriptor, valid in all threads of this process. */
  readonly descriptor: number;
  /** Resolves when the complete file is on disk. */
  readonly complete: Promise<void>;
  /** Resolves when this many bytes, or the complete file, are on disk. */
  waitForBytes(bytes: number): Promise<void>;
  /** Creates a stream of the file from its start. It waits for bytes that have not arrived yet. */
  read(): Readable;
}

/** Directory and space limit of files on disk. */
export interface Spool {
  readonly folder?: string | undefined;
  readonly budget: BufferBudget;
}

const bytesPerRead = 64 * 1024;

/**
 * Starts to write a form's file to disk. Dispose the form before the file, whose disposal waits for the end of writing.
 * `complete` rejects with Failure rate_limit_exceeded (429) or server_overloaded (503) if the disk limit is reached.
 */
export async function startSpooling(
  file: FormFile,
  { folder = tmpdir(), budget }: Spool,
  holder: Holder,
): Promise<IncomingSpoolFile> {
  const handle = await openUnnamed(folder);
  return new GrowingFile(file, handle, budget.openHolding(holder));
}

class GrowingFile implements IncomingSpoolFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly complete: Promise<void>;
  readonly #handle: FileHandle;
  readonly #holding: Holding;
  #size = 0;
  #over: { readonly error?: unknown } | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(file: FormFile, handle: FileHandle, holding: Holding) {
    ({ name: this.name, filename: this.filename, contentType: this.contentType } = file);
    this.#handle = handle;
    this.#holding = holding;
    this.complete = this.#write(file);
    // Without a caller of `complete`, the rejection would be unhandled.
    this.complete.catch(() => undefined);
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  get size(): number {
    return this.#size;
  }

  async waitForBytes(bytes: number): Promise<void> {
    while (this.#size < bytes && this.#over === undefined) await this.#progress.promise;
    if (this.#over !== undefined) await this.complete;
  }

  read(): Readable {
    return Readable.from(this.#follow(), { objectMode: false, highWaterMark: bytesPerRead });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.complete.catch(() => undefined);
    await this.#handle.close();
    this.#holding[Symbol.dispose]();
  }

  async #write(file: FormFile): Promise<void> {
    try {
      this.#holding.startArriving((failure) => file.breakOff(failure));
      for await (const chunk of file.bytes()) {
        this.#holding.add(chunk.length);
        await this.#handle.writeFile(chunk);
        this.#size += chunk.length;
        this.#progressed();
      }
      this.#over = {};
    } catch (error) {
      this.#over = { error };
      throw isDiskFull(error) ? new Failure("server_overloaded", undefined, { cause: error }) : error;
    } finally {
      this.#holding.endArriving();
      this.#progressed();
    }
  }

  #progressed(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers<void>();
  }

  async *#follow(): AsyncGenerator<Buffer> {
    for (let position = 0; ;) {
      if (position < this.#size) {
        const buffer = Buffer.allocUnsafe(Math.min(bytesPerRead, this.#size - position));
        const { bytesRead } = await this.#handle.read({ buffer, position });
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.#over === undefined) await this.#progress.promise;
      else {
        await this.complete;
        return;
      }
    }
  }
}

function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

async function openUnnamed(folder: string): Promise<FileHandle> {
  const path = join(folder, `modelgate-${randomUUID()}`);
  const handle = await open(path, "wx+", 0o600);
  try {
    await unlink(path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A form's file that is completely on disk. */
export type SpooledFile = Omit<IncomingSpoolFile, "complete" | "waitForBytes">;

/** Writes a form's file to disk. Rejects with the errors of the file's `bytes`, or as `startSpooling` does. */
export async function spoolFile(file: FormFile, spool: Spool, holder: Holder): Promise<SpooledFile> {
  const incoming = await startSpooling(file, spool, holder);
  try {
    await incoming.complete;
    return incoming;
  } catch (error) {
    await incoming[Symbol.asyncDispose]();
    throw error;
  }
}
