import { Failure } from "@modelgate/contracts";
import type { RequestField, TextRequest } from "./request.ts";

/**
 * What becomes of a field of the neutral form on a wire: how it is spelled there; or that it is a hint and is
 * dropped; or that the request would mean something else without it and is refused.
 */
type Support = { readonly as: string } | { readonly unsupported: "dropped" | "refused" };

export type FieldSupport = Readonly<Record<RequestField, Support>>;

/**
 * The hints of a request that the wire cannot say. Throws Failure unsupported_parameter, its `param` in the neutral
 * form's word, for what may not be lost; the service spells it as the client's wire does.
 */
export function unsupportedFields(request: TextRequest, fieldSupport: FieldSupport): readonly RequestField[] {
  const lost = fieldNames(fieldSupport).filter(
    (field) => "unsupported" in fieldSupport[field] && saysSomething(request, field),
  );
  for (const field of lost) {
    const support = fieldSupport[field];
    if ("unsupported" in support && support.unsupported === "refused") throw unsupportedFailure(field);
  }
  return lost;
}

/** The failure of a request that the vendor's wire cannot say. */
export function unsupportedFailure(what: string, say?: string): Failure {
  return new Failure("unsupported_parameter", say ?? `The vendor of this model cannot take ${what}.`, { param: what });
}

/** How the wire spells the fields that it has. */
export function spellings(fieldSupport: FieldSupport): Readonly<Partial<Record<RequestField, string>>> {
  return Object.fromEntries(
    fieldNames(fieldSupport).flatMap((field) => {
      const support = fieldSupport[field];
      return "as" in support ? [[field, support.as]] : [];
    }),
  );
}

function fieldNames(fieldSupport: FieldSupport): readonly RequestField[] {
  const known: Readonly<Record<string, Support>> = fieldSupport;
  return Object.keys(known).filter((name): name is RequestField => name in fieldSupport);
}

/** One answer, and text as the only kind of output, are what every wire gives anyway. */
function saysSomething(request: TextRequest, field: RequestField): boolean {
  const value = request[field];
  if (value === undefined) return false;
  if (field === "choices") return value !== 1;
  if (field === "modalities") return (request.modalities ?? []).some((kind) => kind !== "text");
  if (field === "stop" || field === "tools") return Array.isArray(value) && value.length > 0;
  if (field === "parallelTools") return value === false;
  return true;
}

/** What a rendering left out so far, each word once. */
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
