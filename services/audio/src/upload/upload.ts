import { Failure } from "@modelgate/contracts";
import {
  followFile,
  openForm,
  type FollowedFile,
  type Form,
  type FormFile,
  type ServiceCall,
} from "@modelgate/platform";
import { modelInForm, type FormEntry } from "@modelgate/wires/transcripts";
import type { Deps } from "../deps.ts";

/** The field that holds the audio. */
const fileField = "file";

/**
 * A form with a file of audio, on its way in. Its fields may come in any order, also after the file; the file is put on
 * disk as it comes, where every attempt of a call reads it from its first byte, even while more is still coming.
 */
export interface Upload extends AsyncDisposable {
  /** The text fields that came so far. */
  readonly entries: readonly FormEntry[];
  /** Bytes of the whole body, as the client announced them; undefined where it did not. */
  readonly announced: number | undefined;
  /** True once all of it is there. */
  readonly isWhole: boolean;
  /** Settles when all of it is there. Rejects with what is wrong with it: a Failure (400, 408, 413, 503), or ClientGone. */
  readonly whole: Promise<void>;
  /** Resolves when the model is known and the file has begun, or all is there; rejects as `whole` does. */
  readonly begun: Promise<void>;
  /** Throws where no file has begun. */
  readonly file: FollowedFile;
  /** Aborted with what broke the upload, or made it of no use. */
  readonly broken: AbortSignal;
  /** Ends the call for a reason that shows only now. */
  breakOff(reason: Failure): void;
}

/**
 * Begins to read a form. A deployment in the path is the model, whatever the form names. Throws what `openForm` throws.
 * Dispose it when the call is over: nothing is left on disk.
 */
export function openUpload(
  { request, caller, ending, params }: Pick<ServiceCall, "request" | "caller" | "ending" | "params">,
  { limits, spool }: Deps["upload"],
): Upload {
  const announced = Number(request.headers["content-length"] ?? Number.NaN);
  const form = openForm(request, limits, caller, ending);
  const follow: Follow = (file) => followFile(file, spool, caller);
  const from = { announced: Number.isFinite(announced) ? announced : undefined, deployment: params["deployment"] };
  return new IncomingUpload(form, follow, from);
}

/** Begins to put a file on disk. */
type Follow = (file: FormFile) => Promise<FollowedFile>;

/** Length and model of an upload, known from the headers and path before the form is read. */
interface UploadHead {
  readonly announced: number | undefined;
  /** The model that the path names. */
  readonly deployment: string | undefined;
}

class IncomingUpload implements Upload {
  readonly entries: FormEntry[] = [];
  readonly announced: number | undefined;
  readonly whole: Promise<void>;
  readonly begun: Promise<void>;
  readonly #form: Form;
  readonly #follow: Follow;
  readonly #deployment: string | undefined;
  readonly #fileBegun = Promise.withResolvers<void>();
  readonly #broken = new AbortController();
  #file: FollowedFile | undefined;
  #isWhole = false;

  constructor(form: Form, follow: Follow, { announced, deployment }: UploadHead) {
    this.#form = form;
    this.#follow = follow;
    this.#deployment = deployment;
    if (deployment !== undefined) this.entries.push(["model", deployment]);
    this.announced = announced;
    this.whole = this.#read();
    this.begun = Promise.race([this.#fileBegun.promise, this.whole]);
    // Those that wait for it get the error; without any it is not unhandled.
    this.whole.catch(() => undefined);
    this.begun.catch(() => undefined);
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  get file(): FollowedFile {
    if (this.#file === undefined) throw missing(fileField);
    return this.#file;
  }

  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  breakOff(reason: Failure): void {
    this.#broken.abort(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#form[Symbol.dispose]();
    await this.whole.catch(() => undefined);
    await this.#file?.[Symbol.asyncDispose]();
  }

  async #read(): Promise<void> {
    try {
      for await (const part of this.#form) {
        if (part.kind === "file") {
          if (part.name !== fileField) throw strange(part.name);
          await this.#take(await this.#follow(part));
        } else if (part.name === fileField) throw strange(part.name);
        else if (part.name !== "model" || this.#deployment === undefined) this.entries.push([part.name, part.value]);
      }
      if (this.file.size === 0) throw empty();
      this.#isWhole = true;
    } catch (error) {
      // Before anybody reads on: what ends the call is this, and no vendor's fault.
      this.#broken.abort(error);
      throw error;
    }
  }

  async #take(file: FollowedFile): Promise<void> {
    this.#file = file;
    await file.reached(1);
    if (modelInForm(this.entries) !== undefined && file.size > 0) this.#fileBegun.resolve();
    await file.whole;
  }
}

function missing(param: string): Failure {
  return new Failure("missing_required_parameter", `Missing required parameter: ${param}.`, { param });
}

function empty(): Failure {
  return new Failure("invalid_value", "The file is empty.", { param: fileField });
}

function strange(param: string): Failure {
  const message =
    param === fileField
      ? "file must be a file, with a filename."
      : "The one file of this form must be in the field file.";
  return new Failure("invalid_value", message, { param });
}
