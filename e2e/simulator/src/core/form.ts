import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** A multipart body, as a vendor takes it apart. */
export interface Form {
  /** Text fields in their order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FormFile[];
}

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** A file of a form as a test wants to see it afterwards. */
export interface SeenFile extends Omit<FormFile, "bytes"> {
  readonly bytes: number;
  readonly sha256: string;
}

/** The form in a body; undefined for another body, or a malformed form. */
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

/** What is remembered of a file. */
export function seenFile({ bytes, ...file }: FormFile): SeenFile {
  return { ...file, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** The values of a field, in their order; `name[]` is the same field. */
export function valuesOf({ fields }: Form, name: string): readonly string[] {
  return fields.filter(([each]) => each === name || each === `${name}[]`).map(([, value]) => value);
}
