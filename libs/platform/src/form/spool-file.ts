import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { FormFile } from "./form-file.ts";

/** A file of a form on disk. It has no name there: it is gone with its disposal, and with the process. */
export interface SpooledFile extends AsyncDisposable {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** The bytes from the first one, as often as wanted; every attempt of a call reads them anew. */
  read(): Readable;
}

/**
 * Writes a file of a form to disk, at the disk's pace, within the form's own bound. Throws what `bytes` of the file
 * throws; nothing is left on disk then.
 */
export async function spoolFile(file: FormFile, folder: string = tmpdir()): Promise<SpooledFile> {
  const handle = await openNameless(folder);
  let size = 0;
  try {
    for await (const chunk of file.bytes()) {
      await handle.writeFile(chunk);
      size += chunk.length;
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  const { name, filename, contentType } = file;
  return {
    name,
    filename,
    contentType,
    size,
    read: () => handle.createReadStream({ start: 0, autoClose: false }),
    [Symbol.asyncDispose]: () => handle.close(),
  };
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
