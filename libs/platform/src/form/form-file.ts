import type { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";

/** A text field of a form. */
export interface FormField {
  readonly kind: "field";
  readonly name: string;
  readonly value: string;
}

/** A file of a form. Its bytes can be read once, at the reader's pace; without a reader they are dropped. */
export interface FormFile {
  readonly kind: "file";
  /** The field's name. */
  readonly name: string;
  /** File name without folders; "" if the client gave none. */
  readonly filename: string;
  /** The client's value; `application/octet-stream` or `text/plain` if it sent none. */
  readonly contentType: string;
  /** Reads the bytes. Throws Failure request_too_large that names the field, and the error that ended the form. */
  bytes(): AsyncIterable<Buffer>;
  /** Ends the complete form; its readers get this error. */
  breakOff(error: Error): void;
}

/** A part of a form, in the order in which the client sent them. */
export type FormPart = FormField | FormFile;

/** A parser's stream of one file; `truncated` is set if it was cut at its size limit. */
export type FileStream = Readable & { readonly truncated?: boolean };

/** Parts of the form that a file needs. */
interface FileOptions {
  readonly maxBytes: number;
  /** Returns the error that ended the form before its file was complete. */
  readonly whyBroken: () => Error;
  readonly breakOff: (error: Error) => void;
}

/** One file of an incoming form. */
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
    // A reader gets the error when it reads; without a reader it must not count as unhandled.
    stream.on("error", () => undefined);
  }

  async *bytes(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#stream) {
        if (Buffer.isBuffer(chunk)) yield chunk;
      }
    } catch {
      throw this.#options.whyBroken();
    }
    if (this.#stream.truncated === true)
      throw new Failure("request_too_large", `The file ${this.name} is larger than ${this.#options.maxBytes} bytes.`, {
        param: this.name,
      });
  }

  breakOff(error: Error): void {
    this.#options.breakOff(error);
  }

  /** Ends the file and drops the rest of it. */
  drop(): void {
    this.#stream.resume();
  }
}
