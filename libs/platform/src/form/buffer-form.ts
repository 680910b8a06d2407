import type { IncomingMessage } from "node:http";
import type { Holder, Holding } from "../buffer-budget.ts";
import { BodySegments } from "../read-body.ts";
import type { FormFile } from "./form-file.ts";
import { openForm, type FormLimits } from "./open-form.ts";

export interface BufferedFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A complete form in memory. Disposal releases its memory. */
export interface BufferedForm extends Disposable {
  /** Text fields in the order of sending. A name may occur more than once. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly BufferedFile[];
  /** Memory of all fields and files together. */
  readonly holding: Pick<Holding, "bytes" | "add">;
}

/** Reads a complete form of small files into memory. Rejects with the errors of `openForm`. */
export async function bufferForm(
  request: IncomingMessage,
  limits: FormLimits,
  holder: Holder,
  ending?: AbortSignal,
): Promise<BufferedForm> {
  const fields: (readonly [string, string])[] = [];
  const files: BufferedFile[] = [];
  const form = openForm(request, limits, holder, ending);
  const dispose = (): void => form[Symbol.dispose]();
  try {
    for await (const part of form) {
      if (part.kind === "file") files.push(await bufferFile(part, form.holding));
      else fields.push([part.name, part.value]);
    }
  } catch (error) {
    dispose();
    throw error;
  }
  return { fields, files, holding: form.holding, [Symbol.dispose]: dispose };
}

async function bufferFile(file: FormFile, holding: Holding): Promise<BufferedFile> {
  const gathered = new BodySegments(0);
  for await (const chunk of file.bytes()) {
    holding.add(chunk.length);
    gathered.add(chunk);
  }
  const { name, filename, contentType } = file;
  return { name, filename, contentType, bytes: await gathered.join() };
}
