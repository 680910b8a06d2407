import { randomBytes } from "node:crypto";
import { decodeBase64 } from "@modelgate/formats/json";
import type { Base64File } from "../call.ts";

/** Renders a multipart/form-data body. The file is decoded in steps of about a millisecond. */
export function* renderForm(
  fields: Readonly<Record<string, unknown>>,
  file: Base64File | undefined,
): Generator<undefined, { readonly contentType: string; readonly body: Buffer }> {
  const boundary = `form-${randomBytes(16).toString("hex")}`;
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    parts.push(Buffer.from(`--${boundary}\r\n${disposition(name)}\r\n\r\n${text}\r\n`));
  }
  if (file !== undefined) {
    const filename = `; filename="${file.name}.${file.mediaType.split("/")[1] ?? "bin"}"`;
    parts.push(
      Buffer.from(`--${boundary}\r\n${disposition(file.name)}${filename}\r\ncontent-type: ${file.mediaType}\r\n\r\n`),
      yield* decodeBase64(file.data),
      Buffer.from("\r\n"),
    );
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(parts) };
}

function disposition(name: string): string {
  // A name may come from the client's JSON.
  const safe = name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return `content-disposition: form-data; name="${safe}"`;
}
