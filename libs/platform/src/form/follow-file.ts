import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { BufferBudget, Holder, Holding } from "../buffer-budget.ts";
import type { FormFile } from "./form-file.ts";

/** A file of a form on disk. It has no name there: it disappears with its disposal, and with the process. */
export interface FollowedFile extends AsyncDisposable {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  /** Bytes on disk by now. */
  readonly size: number;
  /** The open file's number in this process, for readers in other threads of it; good until the disposal. */
  readonly descriptor: number;
  /** Settles when all of it is there; rejects with what broke it, as `bytes` of the form's file does. */
  readonly whole: Promise<void>;
  /** Resolves when so many bytes are there, or all; rejects as `whole` does. */
  reached(bytes: number): Promise<void>;
  /** The bytes from the first one, as often as wanted; a reader that is ahead of the client waits for it. */
  read(): Readable;
}

/** The folder of spooled files, and the maximum of the disk that all of them together may use. */
export interface Spool {
  readonly folder?: string | undefined;
  readonly budget: BufferBudget;
}

/** Bytes that a reader takes at once. */
const readBytes = 64 * 1024;

/**
 * Begins to write a file of a form to disk, at the client's pace, and gives it to readers meanwhile. Dispose it after
 * its form: it waits for the writing to end. Throws Failure rate_limit_exceeded (429, the holder's share of the disk) or
 * server_overloaded (503) where the disk has no room.
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
    // Those that wait for it get the error; without any it is not unhandled.
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

/** Opens a file that only this process can see; its name is taken away before a byte is in it. */
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

/** A file of a form on disk, all of it. */
export type SpooledFile = Omit<FollowedFile, "whole" | "reached">;

/**
 * Writes a file of a form to disk, at the disk's pace, within the form's own bound. Throws what `bytes` of the file
 * throws, and Failure server_overloaded (503) where the disk has no room; nothing is left on disk then.
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
