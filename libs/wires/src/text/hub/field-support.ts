import { Failure } from "@modelgate/contracts";
import type { RequestField, TextRequest } from "./request.ts";

/**
 * What becomes of a field of the neutral form on a wire: how it is spelled there; or that it is a hint and is
 * dropped; or that the request would mean something else without it and is refused.
 */
export type Fate = { readonly as: string } | { readonly lost: "dropped" | "refused" };
export type Fates = Readonly<Record<RequestField, Fate>>;

/**
 * The hints of a request that the wire cannot say. Throws Failure unsupported_parameter, its `param` in the neutral
 * form's word, for what may not be lost; the service spells it as the client's wire does.
 */
export function lostFields(request: TextRequest, fates: Fates): readonly RequestField[] {
  const lost = fieldNames(fates).filter((field) => "lost" in fates[field] && saysSomething(request, field));
  for (const field of lost) {
    const fate = fates[field];
    if ("lost" in fate && fate.lost === "refused") throw cannotSay(field);
  }
  return lost;
}

/** The failure of a request that the vendor's wire cannot say. */
export function cannotSay(what: string, say?: string): Failure {
  return new Failure("unsupported_parameter", say ?? `The vendor of this model cannot take ${what}.`, { param: what });
}

/** How the wire spells the fields that it has. */
export function spellings(fates: Fates): Readonly<Partial<Record<RequestField, string>>> {
  return Object.fromEntries(
    fieldNames(fates).flatMap((field) => {
      const fate = fates[field];
      return "as" in fate ? [[field, fate.as]] : [];
    }),
  );
}

/** The table of a wire's README, checked against it by a test. */
export function fatesTable(fates: Fates): string {
  const rows = fieldNames(fates).map((field) => {
    const fate = fates[field];
    return `| ${field} | ${"as" in fate ? `\`${fate.as}\`` : fate.lost} |`;
  });
  return ["| neutral form | here |", "|---|---|", ...rows].join("\n");
}

function fieldNames(fates: Fates): readonly RequestField[] {
  const known: Readonly<Record<string, Fate>> = fates;
  return Object.keys(known).filter((name): name is RequestField => name in fates);
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
