import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Parsed multipart body. */
export interface Form {
  /** Text fields, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FormFile[];
}

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Description of a form's file, for tests. */
export interface SeenFile extends Omit<FormFile, "bytes"> {
  readonly bytes: number;
  readonly sha256: string;
}

/** Parses a form; undefined for any other body, and for a malformed form. */
export async function formIn(headers: IncomingHttpHeaders, body: Buffer): Promise<Form | undefined> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return undefined;
  const fields: [string, string][] = [];
  const files: FormFile[] = [];
  try {
    const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
    for (const [name, value] of form) {
      if (typeof value === "string") fields.push([name, value]);
      else
        files.push({
          name,
          filename: value.name,
          contentType: value.type,
          bytes: Buffer.from(await value.arrayBuffer()),
        });
    }
  } catch {
    return undefined;
  }
  return { fields, files };
}

/** Returns the description of a file that is kept for tests. */
export function seenFile({ bytes, ...file }: FormFile): SeenFile {
  return { ...file, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Returns the values of a field, in order. `name[]` counts as the same field. */
export function valuesOf({ fields }: Form, name: string): readonly string[] {
  return fields.filter(([each]) => each === name || each === `${name}[]`).map(([, value]) => value);
}
