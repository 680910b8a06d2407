import type { IncomingMessage } from "node:http";
import type { BufferBudget } from "../buffer-budget.ts";
import type { FormFile } from "./form-file.ts";
import { openForm, type FormLimits } from "./open-form.ts";

/** A file of a form in memory. */
export interface HeldFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A whole form in memory; dispose it when its bytes are needed no longer. */
export interface HeldForm extends Disposable {
  /** Text fields in their order; a name may stand there more than once. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly HeldFile[];
  /** Bytes of all fields and files. */
  readonly size: number;
}

/**
 * Reads a form of small files whole into memory, counted against the process's budget. Throws what `openForm` throws,
 * and Failure server_overloaded (503).
 */
export async function holdForm(
  request: IncomingMessage,
  limits: FormLimits & { readonly budget: BufferBudget },
): Promise<HeldForm> {
  const { budget } = limits;
  const fields: (readonly [string, string])[] = [];
  const files: HeldFile[] = [];
  let size = 0;
  const take = (bytes: number): void => {
    budget.take(bytes);
    size += bytes;
  };
  const release = (): void => {
    budget.give(size);
    size = 0;
  };
  try {
    using form = openForm(request, limits);
    for await (const part of form) {
      if (part.kind === "file") files.push(await hold(part, take));
      else {
        take(Buffer.byteLength(part.value));
        fields.push([part.name, part.value]);
      }
    }
  } catch (error) {
    release();
    throw error;
  }
  return { fields, files, size, [Symbol.dispose]: release };
}

async function hold(file: FormFile, take: (bytes: number) => void): Promise<HeldFile> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.bytes()) {
    take(chunk.length);
    chunks.push(chunk);
  }
  const { name, filename, contentType } = file;
  return { name, filename, contentType, bytes: Buffer.concat(chunks) };
}
