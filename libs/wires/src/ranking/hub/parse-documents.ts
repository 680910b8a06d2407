import { isRecord, type Fields } from "../../json/fields.ts";
import { mostDocuments, type RankedDocument } from "./request.ts";

/** `documents`: texts and objects, at least one. */
export function parseDocuments(fields: Fields): readonly RankedDocument[] {
  fields.need("documents");
  const documents = fields.list("documents") ?? [];
  if (documents.length === 0) throw fields.wrong("documents", "an array that is not empty");
  if (documents.length > mostDocuments) throw fields.wrong("documents", `at most ${mostDocuments} documents`);
  return documents.map((document, index) => {
    if (typeof document === "string" || isRecord(document)) return document;
    throw fields.wrong(`documents[${index}]`, "a string or an object");
  });
}

/** The query, which must say something. */
export function parseQuery(fields: Fields): string {
  const query = fields.needText("query");
  if (query === "") throw fields.wrong("query", "a string that is not empty");
  return query;
}

/** How many results are wanted: all, where it is more than there are documents. */
export function parseTop(fields: Fields, name: string, documents: readonly RankedDocument[]): number | undefined {
  const top = fields.count(name, 1);
  return top === undefined ? undefined : Math.min(top, documents.length);
}
