import type { JsonRecord } from "../../json/fields.ts";
import { unsupportedFailure } from "../../text/hub/field-support.ts";
import type { RankedDocument } from "./request.ts";

/** A document as results hold it. */
export function documentObject(document: RankedDocument): JsonRecord {
  return typeof document === "string" ? { text: document } : document;
}

/**
 * A document as one text, for wires without objects: its `text`, or a line for each of its members (those named by
 * `rankFields`, if any), as in YAML. Throws Failure unsupported_parameter for a picture.
 */
export function documentText(document: RankedDocument, rankFields: readonly string[] | undefined): string {
  if (typeof document === "string") return document;
  if (rankFields === undefined && typeof document["text"] === "string") return document["text"];
  const names = rankFields ?? Object.keys(document);
  if (names.includes("image") && "image" in document)
    throw unsupportedFailure("documents", "The vendor of this model takes only text.");
  return names.flatMap((name) => line(name, document[name])).join("\n");
}

function line(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
}
