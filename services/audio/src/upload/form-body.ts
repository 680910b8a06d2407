import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";
import type { FormEntry } from "@modelgate/wires/transcripts";
import type { Upload } from "./upload.ts";

/** Multipart form for a vendor, created for each attempt. */
export interface FormBody {
  readonly body: Readable;
  readonly headers: Readonly<Record<string, string>>;
}

const mediaType = /^[\w.+-]+\/[\w.+-]+$/;

/** Returns the media type of a file; application/octet-stream for an invalid one. */
export function mediaTypeOf({ contentType }: Upload["file"]): string {
  return mediaType.test(contentType) ? contentType : "application/octet-stream";
}

/**
 * Builds the multipart form for a vendor. During the upload, the model and the file precede the other fields. The file
 * keeps its name and media type, because vendors rely on them.
 */
export function buildFormBody(upload: Upload, model: FormEntry, entries: () => readonly FormEntry[]): FormBody {
  const boundary = `modelgate-${randomBytes(12).toString("hex")}`;
  const type = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const field = ([name, value]: FormEntry): Buffer =>
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`);
  const fields = (some: readonly FormEntry[]): Buffer => Buffer.concat(some.map(field));
  const fileHead = filePartHead(upload, boundary);
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  if (!upload.isComplete) {
    const pieces = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.concat([field(model), fileHead]);
      yield* bytesOf(upload.file.read());
      await upload.completed;
      yield Buffer.concat([
        Buffer.from("\r\n"),
        fields(fieldsAfterFile(upload, entries)),
        Buffer.from(`--${boundary}--\r\n`),
      ]);
    };
    return { body: Readable.from(pieces(), { objectMode: false }), headers: type };
  }
  const before = Buffer.concat([fields([model, ...entries()]), fileHead]);
  const pieces = async function* (): AsyncGenerator<Buffer> {
    yield before;
    yield* bytesOf(upload.file.read());
    yield end;
  };
  const length = before.length + upload.file.size + end.length;
  return {
    body: Readable.from(pieces(), { objectMode: false }),
    headers: { ...type, "content-length": String(length) },
  };
}

/** Returns the fields that come after the file. An invalid field ends the call; the vendor is not at fault. */
function fieldsAfterFile(upload: Upload, entries: () => readonly FormEntry[]): readonly FormEntry[] {
  try {
    return entries();
  } catch (error) {
    if (error instanceof Failure) upload.breakOff(error);
    throw error;
  }
}

function filePartHead({ file }: Upload, boundary: string): Buffer {
  const name = escapeName(file.filename === "" ? "audio" : file.filename);
  return Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${mediaTypeOf(file)}\r\n\r\n`,
  );
}

/** Escapes a name in a header as browsers do: quotes and line breaks would end the name. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk;
}
