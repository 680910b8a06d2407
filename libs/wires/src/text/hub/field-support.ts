import { Failure } from "@modelgate/contracts";
import type { RequestField, TextRequest } from "./request.ts";

/** Support of the neutral form's fields by a wire; the docs site shows it. Fields in neither list are dropped and reported. */
export interface FieldSupport {
  /** Names on the wire of the fields that it supports. */
  readonly as: Readonly<Partial<Record<RequestField, string>>>;
  /** Unsupported fields whose loss would change the meaning of the request. */
  readonly refused: readonly RequestField[];
}

/**
 * Lists the optional fields of a request that the wire cannot express. Throws Failure unsupported_parameter for a field
 * that must not be lost, named as in the neutral form; the service respells it for the client's wire.
 */
export function unsupportedFields(request: TextRequest, { as, refused }: FieldSupport): readonly RequestField[] {
  const unsupported = Object.keys(request)
    .filter((name): name is RequestField => !universalFields.has(name))
    .filter((field) => as[field] === undefined && hasEffect(request, field));
  const field = unsupported.find((each) => refused.includes(each));
  if (field !== undefined) throw unsupportedFailure(field);
  return unsupported;
}

/** Members of a request that every wire expresses. */
const universalFields: ReadonlySet<string> = new Set(["model", "stream", "instructions", "turns", "includeUsage"]);

/** Creates the failure for a request that the vendor's wire cannot express. */
export function unsupportedFailure(param: string, message?: string): Failure {
  const defaultMessage = `The vendor of this model does not support ${param}.`;
  return new Failure("unsupported_parameter", message ?? defaultMessage, { param });
}

/** Returns true if the value has an effect. One answer, and text as the only output, are every wire's default. */
function hasEffect(request: TextRequest, field: RequestField): boolean {
  const value = request[field];
  if (value === undefined) return false;
  if (field === "choices") return value !== 1;
  if (field === "cacheMode") return value === "explicit";
  if (field === "modalities") return (request.modalities ?? []).some((kind) => kind !== "text");
  if (field === "stop" || field === "tools") return Array.isArray(value) && value.length > 0;
  if (field === "parallelTools") return value === false;
  return true;
}

/** Collects the names of fields and values that a rendering leaves out, without duplicates. */
export class Unsupported {
  readonly #words = new Set<string>();

  note(field: string): void {
    this.#words.add(field);
  }

  /** Adds the name of a lost field or value, unless the lost value is undefined or false. */
  noteIf(field: string, isUnsupported: unknown): void {
    if (isUnsupported !== undefined && isUnsupported !== false) this.note(field);
  }

  /** Adds the names of lost members of a part, a tool or a format, such as `file.title`, if they have a value. */
  noteMembers<Value extends object>(of: string, value: Value, members: readonly (keyof Value & string)[]): void {
    for (const member of members) this.noteIf(`${of}.${member}`, value[member]);
  }

  get names(): readonly string[] {
    return [...this.#words];
  }
}
