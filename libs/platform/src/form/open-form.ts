import type { IncomingMessage } from "node:http";
import { asFailure, Failure } from "@modelgate/contracts";
import busboy from "busboy";
import type { BufferBudget, Holder, Holding } from "../buffer-budget.ts";
import { Pace, type PaceLimits } from "../pace.ts";
import { ClientDisconnected } from "../read-body.ts";
import { IncomingFile, type FormPart } from "./form-file.ts";

export interface FormLimits extends PaceLimits {
  /** Maximum bytes of the request's complete body. */
  readonly maxBytes: number;
  /** Maximum number of parts, and of files among them. */
  readonly parts: number;
  readonly files: number;
  /** Maximum bytes of one text field, and of all text fields together. */
  readonly fieldBytes: number;
  readonly fieldsBytes: number;
  readonly fileBytes: number;
  /** Memory budget for text fields and for files that are read into memory. */
  readonly budget: BufferBudget;
}

/** A form that is being read. It iterates over the parts in the order of sending. */
export interface Form extends AsyncIterable<FormPart>, Disposable {
  /** Memory that the form uses. Disposal of the form releases it. */
  readonly holding: Holding;
  /** Stops reading the form; the iteration throws this error. */
  breakOff(error: Error): void;
}

const maxNameBytes = 200;

/**
 * Opens a multipart/form-data body, which is read part by part. Throws Failure unsupported_media_type (415),
 * invalid_value (400), request_too_large (413), request_timeout (408), rate_limit_exceeded (429) or server_overloaded
 * (503), here or during the iteration. Also throws ClientDisconnected, and the reason of `ending`.
 */
export function openForm(request: IncomingMessage, limits: FormLimits, holder: Holder, ending?: AbortSignal): Form {
  checkFormHeaders(request, limits);
  const parser = createParser(request, limits);
  const holding = limits.budget.openHolding(holder);
  try {
    return new OpenForm(request, limits, { parser, holding, ending });
  } catch (error) {
    holding[Symbol.dispose]();
    throw error;
  }
}

function checkFormHeaders({ headers }: IncomingMessage, { maxBytes }: FormLimits): void {
  const type = headers["content-type"] ?? "";
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(type))
    throw new Failure(
      "unsupported_media_type",
      `The content type must be multipart/form-data, not ${JSON.stringify(type.slice(0, 100))}.`,
      { param: "content-type" },
    );
  if ((headers["content-encoding"] ?? "identity").trim().toLowerCase() !== "identity")
    throw new Failure("unsupported_media_type", "A form must not be compressed.", { param: "content-encoding" });
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

interface OpenFormOptions {
  readonly parser: busboy.Busboy;
  readonly holding: Holding;
  readonly ending: AbortSignal | undefined;
}

class OpenForm implements Form {
  readonly #request: IncomingMessage;
  readonly #limits: FormLimits;
  readonly #parser: busboy.Busboy;
  readonly #pace: Pace;
  readonly #ending: AbortSignal | undefined;
  readonly holding: Holding;
  readonly #ready: FormPart[] = [];
  #wake: (() => void) | undefined;
  #over = false;
  #failure: Error | undefined;
  #bytes = 0;
  #fieldsBytes = 0;

  readonly #onData = (chunk: Buffer): void => {
    this.#pace.add(chunk.length);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBytes) this.breakOff(bodyTooLarge(this.#limits.maxBytes));
  };
  readonly #onClose = (): void => {
    if (!this.#request.complete)
      this.breakOff(new ClientDisconnected("the client disconnected before the form was complete"));
  };
  readonly #onEnding = (): void => this.breakOff(asFailure(this.#ending?.reason));

  constructor(request: IncomingMessage, limits: FormLimits, { parser, holding, ending }: OpenFormOptions) {
    this.#request = request;
    this.#limits = limits;
    this.holding = holding;
    this.#ending = ending;
    holding.startArriving((failure) => this.breakOff(failure));
    this.#parser = this.#listen(parser);
    // While the parser accepts no bytes, the client is not too slow.
    this.#pace = new Pace(
      limits,
      (failure) => this.breakOff(failure),
      () => this.#parser.writableNeedDrain,
    );
    request.on("data", this.#onData).once("close", this.#onClose);
    request.pipe(this.#parser);
    ending?.addEventListener("abort", this.#onEnding);
    if (request.destroyed) this.#onClose();
    if (ending?.aborted === true) this.#onEnding();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FormPart> {
    for (;;) {
      const part = await this.#next();
      if (part === undefined) return;
      try {
        yield part;
      } finally {
        if (part instanceof IncomingFile) part.discard();
      }
    }
  }

  [Symbol.dispose](): void {
    this.breakOff(new Error("the rest of the form is not read"));
    this.holding[Symbol.dispose]();
  }

  breakOff(error: Error): void {
    if (this.#over) return;
    this.#failure = error;
    this.#finish();
    this.#request.unpipe(this.#parser);
    this.#parser.destroy();
  }

  async #next(): Promise<FormPart | undefined> {
    while (this.#ready.length === 0 && !this.#over) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#ready.shift();
  }

  #listen(parser: busboy.Busboy): busboy.Busboy {
    const { parts, files, fileBytes, fieldsBytes } = this.#limits;
    return parser
      .on("field", (name, value, { nameTruncated, valueTruncated }) => {
        if (isInvalidPartName(name, nameTruncated)) return this.breakOff(invalidPartNameFailure(name));
        if (valueTruncated) return this.breakOff(fieldTooLarge(name, this.#limits));
        this.#fieldsBytes += Buffer.byteLength(value);
        if (this.#fieldsBytes > fieldsBytes)
          return this.breakOff(tooLarge(`The fields of the form are larger than ${fieldsBytes} bytes.`));
        this.#addField(name, value);
      })
      .on("file", (name, stream, { filename, mimeType }) => {
        const part = { name, filename: filename ?? "", contentType: mimeType };
        const file = new IncomingFile(part, stream, {
          maxBytes: fileBytes,
          errorOfForm: () => this.#failure ?? truncatedForm(),
          breakOff: (error) => this.breakOff(error),
        });
        if (isInvalidPartName(name)) return this.breakOff(invalidPartNameFailure(name));
        this.#add(file);
      })
      .on("partsLimit", () => this.breakOff(tooLarge(`The form has more than ${parts} parts.`)))
      .on("fieldsLimit", () => this.breakOff(tooLarge(`The form has more than ${parts} fields.`)))
      .on("filesLimit", () => this.breakOff(tooLarge(`The form has more than ${files} files.`)))
      .on("error", (error) => this.breakOff(malformedForm(error)))
      .on("close", () => this.#finish());
  }

  #addField(name: string, value: string): void {
    if (this.#over) return;
    try {
      this.holding.add(Buffer.byteLength(value));
    } catch (error) {
      return this.breakOff(asFailure(error));
    }
    this.#add({ kind: "field", name, value });
  }

  #add(part: FormPart): void {
    if (this.#over) return;
    this.#ready.push(part);
    this.#wake?.();
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#pace[Symbol.dispose]();
    this.holding.endArriving();
    this.#ending?.removeEventListener("abort", this.#onEnding);
    this.#request.off("data", this.#onData).off("close", this.#onClose);
    this.#wake?.();
  }
}

function createParser(request: IncomingMessage, { parts, files, fieldBytes, fileBytes }: FormLimits): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: "utf8",
      limits: { parts, files, fields: parts, fieldSize: fieldBytes, fileSize: fileBytes, fieldNameSize: maxNameBytes },
    });
  } catch (cause) {
    throw new Failure("invalid_value", "The content type multipart/form-data must name a boundary.", {
      param: "content-type",
      cause,
    });
  }
}

function isInvalidPartName(name: string | undefined, truncated = false): boolean {
  return name === undefined || name === "" || truncated || Buffer.byteLength(name) > maxNameBytes;
}

function invalidPartNameFailure(name: string | undefined): Failure {
  const problem = name === undefined || name === "" ? "no name" : `a name longer than ${maxNameBytes} bytes`;
  return new Failure("invalid_value", `A part of the form has ${problem}.`);
}

function fieldTooLarge(name: string, { fieldBytes }: FormLimits): Failure {
  return new Failure("request_too_large", `The field ${name} is larger than ${fieldBytes} bytes.`, { param: name });
}

function bodyTooLarge(maxBytes: number): Failure {
  return tooLarge(`The body is larger than ${maxBytes} bytes, the maximum of this endpoint.`);
}

function tooLarge(message: string): Failure {
  return new Failure("request_too_large", message);
}

function truncatedForm(): Failure {
  return new Failure("invalid_value", "The form ends in the middle of a part.");
}

function malformedForm(cause: unknown): Failure {
  const isCut = cause instanceof Error && cause.message === "Unexpected end of form";
  return isCut ? truncatedForm() : new Failure("invalid_value", "The form has a malformed part.", { cause });
}
