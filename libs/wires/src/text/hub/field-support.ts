import { Failure } from "@modelgate/contracts";
import type { RequestField, TextRequest } from "./request.ts";

/** The fields of the neutral form on a wire. A field that is neither spelled nor refused there is a hint, and dropped. */
export interface FieldSupport {
  /** Spelling of the fields that the wire has. */
  readonly as: Readonly<Partial<Record<RequestField, string>>>;
  /** Fields without which the request would mean something else. */
  readonly refused: readonly RequestField[];
}

/**
 * Lists the hints of a request that the wire cannot express. Throws Failure unsupported_parameter, its `param` in the
 * neutral form's word, for what may not be lost; the service spells it as the client's wire does.
 */
export function unsupportedFields(request: TextRequest, { as, refused }: FieldSupport): readonly RequestField[] {
  const lost = Object.keys(request)
    .filter((name): name is RequestField => !common.has(name))
    .filter((field) => as[field] === undefined && isMeaningful(request, field));
  const field = lost.find((each) => refused.includes(each));
  if (field !== undefined) throw unsupportedFailure(field);
  return lost;
}

/** Members of a request that every wire expresses. */
const common: ReadonlySet<string> = new Set(["model", "stream", "instructions", "turns", "includeUsage"]);

/** Returns the failure of a request that the vendor's wire cannot express. */
export function unsupportedFailure(param: string, message?: string): Failure {
  const usual = `The vendor of this model cannot take ${param}.`;
  return new Failure("unsupported_parameter", message ?? usual, { param });
}

/** One answer, and text as the only kind of output, are what every wire gives anyway. */
function isMeaningful(request: TextRequest, field: RequestField): boolean {
  const value = request[field];
  if (value === undefined) return false;
  if (field === "choices") return value !== 1;
  if (field === "modalities") return (request.modalities ?? []).some((kind) => kind !== "text");
  if (field === "stop" || field === "tools") return Array.isArray(value) && value.length > 0;
  if (field === "parallelTools") return value === false;
  return true;
}

/** Words for the fields and hints that a rendering left out so far, each once. */
export class Unsupported {
  readonly #words = new Set<string>();

  note(word: string): void {
    this.#words.add(word);
  }

  /** Notes a loss where there is something to lose: anything but undefined and false. */
  noteIf(word: string, lost: unknown): void {
    if (lost !== undefined && lost !== false) this.note(word);
  }

  get words(): readonly string[] {
    return [...this.#words];
  }
}
