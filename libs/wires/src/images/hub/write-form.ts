import { randomUUID } from "node:crypto";

/** A text field, or a file, of a form that is sent. */
export type FormEntry =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly filename: string; readonly contentType: string; readonly bytes: Buffer };

/** A form as multipart/form-data. */
export function writeForm(entries: readonly FormEntry[]): {
  readonly body: Generator<undefined, Buffer>;
  readonly contentType: string;
} {
  // Random, so that it cannot stand in any of the bytes.
  const boundary = `modelgate-${randomUUID()}`;
  const pieces = entries.flatMap((entry) => {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(entry.name)}"`;
    if ("value" in entry) return [Buffer.from(`${head}\r\n\r\n${entry.value}\r\n`)];
    const file = `; filename="${quoted(entry.filename)}"\r\ncontent-type: ${entry.contentType}\r\n\r\n`;
    return [Buffer.from(head + file), entry.bytes, Buffer.from("\r\n")];
  });
  return {
    body: join([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

/** Bytes that are copied in one step. */
const copiedAtOnce = 1024 * 1024;

/** Pieces as one, copied in steps of about a millisecond. */
function* join(pieces: readonly Buffer[]): Generator<undefined, Buffer> {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const joined = Buffer.allocUnsafe(size);
  let end = 0;
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += copiedAtOnce) {
      end += piece.copy(joined, end, at, at + copiedAtOnce);
      if (piece.length > copiedAtOnce) yield;
    }
  return joined;
}

/** As browsers write names: what would end the quotes or the line is escaped. */
function quoted(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
