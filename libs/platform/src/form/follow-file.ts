import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder, Holding } from "../buffer-budget.ts";
import type { FormFile } from "./form-file.ts";

/** A form's file on disk, without a name in the file system: it is removed by its disposal, or with the process. */
export interface FollowedFile extends AsyncDisposable {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  /** Bytes on disk so far. */
  readonly size: number;
  /** File descriptor in this process, also valid in its other threads; closed by the disposal. */
  readonly descriptor: number;
  /** Resolves when the complete file is on disk; rejects with the error of the form's file. */
  readonly whole: Promise<void>;
  /** Resolves when this many bytes, or all, are on disk; rejects as `whole` does. */
  reached(bytes: number): Promise<void>;
  /**
   * Reads the bytes from the start; may be called several times. A reader that has read all bytes waits for more from
   * the client.
   */
  read(): Readable;
}

/** Folder of spooled files, and the limit of the disk space that they use together. */
export interface Spool {
  readonly folder?: string | undefined;
  readonly budget: BufferBudget;
}

/** Bytes that a reader reads in one step. */
const readBytes = 64 * 1024;

/**
 * Starts to write a form's file to disk at the client's pace; readers may read it meanwhile. Dispose it after its form:
 * the disposal waits for the writing to end. Throws Failure rate_limit_exceeded (429, the holder's share of the disk)
 * or server_overloaded (503) if the disk limit is reached.
 */
export async function followFile(
  file: FormFile,
  { folder = tmpdir(), budget }: Spool,
  holder: Holder,
): Promise<FollowedFile> {
  const handle = await openNameless(folder);
  return new GrowingFile(file, handle, budget.holdFor(holder));
}

class GrowingFile implements FollowedFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly whole: Promise<void>;
  readonly #handle: FileHandle;
  readonly #holding: Holding;
  #size = 0;
  #over: { readonly error?: unknown } | undefined;
  #progress = Promise.withResolvers<void>();

  constructor(file: FormFile, handle: FileHandle, holding: Holding) {
    ({ name: this.name, filename: this.filename, contentType: this.contentType } = file);
    this.#handle = handle;
    this.#holding = holding;
    this.whole = this.#write(file);
    // Callers that wait for it get the error; without one, the rejection must not count as unhandled.
    this.whole.catch(() => undefined);
  }

  get descriptor(): number {
    return this.#handle.fd;
  }

  get size(): number {
    return this.#size;
  }

  async reached(bytes: number): Promise<void> {
    while (this.#size < bytes && this.#over === undefined) await this.#progress.promise;
    if (this.#over !== undefined) await this.whole;
  }

  read(): Readable {
    return Readable.from(this.#follow(), { objectMode: false, highWaterMark: readBytes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.whole.catch(() => undefined);
    await this.#handle.close();
    this.#holding[Symbol.dispose]();
  }

  async #write(file: FormFile): Promise<void> {
    try {
      this.#holding.arrives((failure) => file.breakOff(failure));
      for await (const chunk of file.bytes()) {
        this.#holding.take(chunk.length);
        await this.#handle.writeFile(chunk);
        this.#size += chunk.length;
        this.#progressed();
      }
      this.#over = {};
    } catch (error) {
      this.#over = { error };
      throw isFull(error) ? new Failure("server_overloaded", undefined, { cause: error }) : error;
    } finally {
      this.#holding.arrived();
      this.#progressed();
    }
  }

  #progressed(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers<void>();
  }

  async *#follow(): AsyncGenerator<Buffer> {
    for (let at = 0; ;) {
      if (at < this.#size) {
        const buffer = Buffer.allocUnsafe(Math.min(readBytes, this.#size - at));
        const { bytesRead } = await this.#handle.read({ buffer, position: at });
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.#over === undefined) await this.#progress.promise;
      else {
        await this.whole;
        return;
      }
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

/** Opens a file that only this process can access; its name is removed before the first byte is written. */
async function openNameless(folder: string): Promise<FileHandle> {
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
export type SpooledFile = Omit<FollowedFile, "whole" | "reached">;

/**
 * Writes a form's file to disk, within the form's size limit. Throws the errors of the file's `bytes`, and Failure
 * server_overloaded (503) if the disk limit is reached; the file is then removed.
 */
export async function spoolFile(file: FormFile, spool: Spool, holder: Holder): Promise<SpooledFile> {
  const followed = await followFile(file, spool, holder);
  try {
    await followed.whole;
    return followed;
  } catch (error) {
    await followed[Symbol.asyncDispose]();
    throw error;
  }
}
