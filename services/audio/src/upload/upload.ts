import { Failure } from "@modelgate/contracts";
import {
  startSpooling,
  openForm,
  type IncomingSpoolFile,
  type Form,
  type FormFile,
  type ServiceCall,
} from "@modelgate/platform";
import { modelInForm, type FormEntry } from "@modelgate/wires/transcripts";
import type { Deps } from "../deps.ts";

/** Name of the form field with the audio file. */
const fileField = "file";

/**
 * Form with an audio file that is being uploaded. The file is written to disk as it arrives, and every attempt of a
 * call reads it there from the start, even during the upload.
 */
export interface Upload extends AsyncDisposable {
  /** Text fields received so far. */
  readonly entries: readonly FormEntry[];
  /** Bytes of the complete body, if the client announced them. */
  readonly announcedBytes: number | undefined;
  /** True once the upload is complete. */
  readonly isComplete: boolean;
  /** Resolves when the upload is complete. Rejects with a Failure (400, 408, 413, 429, 503) or ClientDisconnected. */
  readonly completed: Promise<void>;
  /**
   * Resolves when the model and the first bytes of the file, or the complete upload, have arrived. Rejects as
   * `completed` does.
   */
  readonly modelReceived: Promise<void>;
  /** File of the form. Throws Failure (400) if no file has started. */
  readonly file: IncomingSpoolFile;
  /** Aborts when the upload fails or `breakOff` is called. */
  readonly failedSignal: AbortSignal;
  /** Ends the call for a reason that was found during the upload. */
  breakOff(reason: Failure): void;
}

/** Starts to read a form. A deployment in the path overrides the form's model. */
export function openUpload(
  { request, caller, ending, params }: Pick<ServiceCall, "request" | "caller" | "ending" | "params">,
  { limits, spool }: Deps["upload"],
): Upload {
  const announcedBytes = Number(request.headers["content-length"] ?? Number.NaN);
  const form = openForm(request, limits, caller, ending);
  const startFile: StartFile = (file) => startSpooling(file, spool, caller);
  const head = {
    announcedBytes: Number.isFinite(announcedBytes) ? announcedBytes : undefined,
    deployment: params["deployment"],
  };
  return new IncomingUpload(form, startFile, head);
}

type StartFile = (file: FormFile) => Promise<IncomingSpoolFile>;

/** Size and model of an upload, from the headers and the path. */
interface UploadHead {
  readonly announcedBytes: number | undefined;
  /** Model that the path names as a deployment. */
  readonly deployment: string | undefined;
}

class IncomingUpload implements Upload {
  readonly entries: FormEntry[] = [];
  readonly announcedBytes: number | undefined;
  readonly completed: Promise<void>;
  readonly modelReceived: Promise<void>;
  readonly #form: Form;
  readonly #startFile: StartFile;
  readonly #deployment: string | undefined;
  readonly #fileStarted = Promise.withResolvers<void>();
  readonly #failed = new AbortController();
  #file: IncomingSpoolFile | undefined;
  #isComplete = false;

  constructor(form: Form, startFile: StartFile, { announcedBytes, deployment }: UploadHead) {
    this.#form = form;
    this.#startFile = startFile;
    this.#deployment = deployment;
    if (deployment !== undefined) this.entries.push(["model", deployment]);
    this.announcedBytes = announcedBytes;
    this.completed = this.#read();
    this.modelReceived = Promise.race([this.#fileStarted.promise, this.completed]);
    // Callers that await these promises get the error. Without such a caller, a rejection must not end the process.
    this.completed.catch(() => undefined);
    this.modelReceived.catch(() => undefined);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get file(): IncomingSpoolFile {
    if (this.#file === undefined) throw missingParameter(fileField);
    return this.#file;
  }

  get failedSignal(): AbortSignal {
    return this.#failed.signal;
  }

  breakOff(reason: Failure): void {
    this.#failed.abort(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#form[Symbol.dispose]();
    await this.completed.catch(() => undefined);
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #read(): Promise<void> {
    try {
      for await (const part of this.#form) {
        if (part.kind === "file") {
          if (part.name !== fileField) throw misplacedFile(part.name);
          await this.#receiveFile(await this.#startFile(part));
        } else if (part.name === fileField) throw misplacedFile(part.name);
        else if (part.name !== "model" || this.#deployment === undefined) this.entries.push([part.name, part.value]);
      }
      if (this.file.size === 0) throw emptyFile();
      this.#isComplete = true;
    } catch (error) {
      // Aborts before the readers of the file continue, so that this failure ends the call and the vendor is not
      // blamed.
      this.#failed.abort(error);
      throw error;
    }
  }

  async #receiveFile(file: IncomingSpoolFile): Promise<void> {
    this.#file = file;
    await file.waitForBytes(1);
    if (modelInForm(this.entries) !== undefined && file.size > 0) this.#fileStarted.resolve();
    await file.complete;
  }
}

function missingParameter(param: string): Failure {
  return new Failure("missing_required_parameter", `Missing required parameter: ${param}.`, { param });
}

function emptyFile(): Failure {
  return new Failure("invalid_value", "The file is empty.", { param: fileField });
}

function misplacedFile(param: string): Failure {
  const message =
    param === fileField ? "file must be a file, with a filename." : "The form must send its file in the field file.";
  return new Failure("invalid_value", message, { param });
}
