import type { Readable } from "node:stream";
import { Failure } from "@modelgate/contracts";

/** A text field of a form. */
export interface FormField {
  readonly kind: "field";
  readonly name: string;
  readonly value: string;
}

/** A file of a form. Its bytes come once, at the pace of their reader; without a reader they are dropped. */
export interface FormFile {
  readonly kind: "file";
  /** The field's name. */
  readonly name: string;
  /** The file's own name without folders; "" where the client gave none. */
  readonly filename: string;
  /** The client's value; `application/octet-stream` or `text/plain` where it sent none. */
  readonly contentType: string;
  /** Throws Failure request_too_large naming the field, and the error that ended the form. */
  bytes(): AsyncIterable<Buffer>;
  /** Ends the whole form: its readers get this error. */
  breakOff(error: Error): void;
}

/** A part of a form, in the order in which the client sent them. */
export type FormPart = FormField | FormFile;

/** A parser's stream of one file; `truncated` is set where it was cut at its bound. */
export type FileStream = Readable & { readonly truncated?: boolean };

/** The parts of a form that a file uses. */
interface FileOptions {
  readonly maxBytes: number;
  /** Returns the error that ended the form before its file ended. */
  readonly whyBroken: () => Error;
  readonly breakOff: (error: Error) => void;
}

/** One file on its way out of a form. */
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
    // A reader gets the error from its reading; without one it is not unhandled.
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

  /** Ends the file: what is left of it is thrown away. */
  drop(): void {
    this.#stream.resume();
  }
}
