import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { ImageField, ImageRequest, ImagesDialect } from "./request.ts";

/** Without these the image would be another one: a vendor that cannot say them does not get the request. */
const decisive: readonly ImageField[] = ["mask", "count"];

/** Every field that a vendor may lack. */
const fields: readonly ImageField[] = [
  "mask",
  "count",
  "size",
  "quality",
  "style",
  "background",
  "moderation",
  "inputFidelity",
  "outputFormat",
  "outputCompression",
  "negativePrompt",
  "promptExtend",
  "watermark",
  "seed",
  "partialImages",
  "user",
];

/**
 * The hints of a request that a vendor's wire has no word for, its own members among them. Throws Failure
 * unsupported_parameter for what may not be lost. What is left to the model (`auto`), or is one image, is always said.
 */
export function unsupportedHints(
  request: ImageRequest,
  { says, dialect }: { readonly says: readonly ImageField[]; readonly dialect?: ImagesDialect },
): readonly string[] {
  const lost = fields.filter((field) => !says.includes(field) && saysSomething(request, field));
  const refused = lost.find((field) => decisive.includes(field));
  if (refused !== undefined) throw unsupportedFailure(refused);
  return [...lost, ...unsupportedMembers(request, dialect)];
}

/** Members that only vendors of the client's own dialect know. */
function unsupportedMembers({ own }: ImageRequest, dialect: ImagesDialect | undefined): readonly string[] {
  if (own === undefined || own.wire === dialect) return [];
  const prefix = own.wire === "qwen" ? "parameters." : "";
  return Object.keys(own.members).map((name) => prefix + name);
}

function saysSomething(request: ImageRequest, field: ImageField): boolean {
  const value = request[field];
  if (field === "count") return (request.count ?? 1) > 1;
  return value !== undefined && value !== "auto" && value !== false;
}
