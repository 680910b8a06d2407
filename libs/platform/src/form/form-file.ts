import type { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";

export interface FormField {
  readonly kind: "field";
  readonly name: string;
  readonly value: string;
}

/** A file in a form. Its bytes can be read once; unread bytes are discarded. */
export interface FormFile {
  readonly kind: "file";
  readonly name: string;
  /** File name without directories; "" if the client sent none. */
  readonly filename: string;
  /** Content type, with a default if the client sent none. */
  readonly contentType: string;
  /** Throws Failure request_too_large (413) that names the field, or the error that ended the form. */
  bytes(): AsyncIterable<Buffer>;
  /** Stops reading the whole form with this error. */
  breakOff(error: Error): void;
}

export type FormPart = FormField | FormFile;

/** The parser's stream of one file. `truncated` is true if the file exceeded its size limit. */
export type FileStream = Readable & { readonly truncated?: boolean };

interface FileOptions {
  readonly maxBytes: number;
  /** Returns the error that ended the form before this file was complete. */
  readonly errorOfForm: () => Error;
  readonly breakOff: (error: Error) => void;
}

/** A file of a form that is being received. */
export class IncomingFile implements FormFile {
  readonly kind = "file";
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly #stream: FileStream;
  readonly #options: FileOptions;

  constructor(part: Pick<FormFile, "name" | "filename" | "contentType">, stream: FileStream, options: FileOptions) {
    ({ name: this.name, filename: this.filename, contentType: this.contentType } = part);
    this.#stream = stream;
    this.#options = options;
    // Without a reader, the error would be unhandled.
    stream.on("error", () => undefined);
  }

  async *bytes(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#stream) {
        if (Buffer.isBuffer(chunk)) yield chunk;
      }
    } catch {
      throw this.#options.errorOfForm();
    }
    if (this.#stream.truncated === true)
      throw new Failure("request_too_large", `The file ${this.name} is larger than ${this.#options.maxBytes} bytes.`, {
        param: this.name,
      });
  }

  breakOff(error: Error): void {
    this.#options.breakOff(error);
  }

  discard(): void {
    this.#stream.resume();
  }
}
