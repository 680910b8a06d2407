import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Parsed multipart body. */
export interface Form {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly FormFile[];
}

export interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** Description of a received file. */
export interface SeenFile extends Omit<FormFile, "bytes"> {
  readonly bytes: number;
  readonly sha256: string;
}

/** Parses a multipart form; undefined if the body is not a form. */
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

/** Describes a received file. */
export function seenFile({ bytes, ...file }: FormFile): SeenFile {
  return { ...file, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Returns the values of a field. Its name may end with `[]`. */
export function valuesOf({ fields }: Form, name: string): readonly string[] {
  return fields.filter(([each]) => each === name || each === `${name}[]`).map(([, value]) => value);
}
