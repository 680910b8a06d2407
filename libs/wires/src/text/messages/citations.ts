import { present } from "@modelgate/contracts";
import { isRecord } from "../../json/fields.ts";
import type { Citation } from "../hub/part.ts";
import type { JsonObject } from "../hub/request.ts";

/** What stands for the vendor's own index of a source in citations that are not the vendor's. */
const noIndex = "";

/** A citation of a text, kept whole for the same wire; none for what is no object. */
export function parseCitation(value: unknown): readonly Citation[] {
  if (!isRecord(value)) return [];
  const { url, source, title, document_title: document, cited_text: citedText, encrypted_index: index } = value;
  return [
    present({
      url: textOr(url, source),
      title: textOr(title, document),
      citedText: textOr(citedText),
      own: index === noIndex ? undefined : ({ wire: "messages", value } as const),
    }),
  ];
}

function textOr(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string");
}

/** A citation for a client: the wire's own as it came, another's where it has an address. */
export function renderCitation({ own, url, title, citedText }: Citation): readonly unknown[] {
  if (own?.wire === "messages") return [own.value];
  if (url === undefined) return [];
  const cited: JsonObject = {
    type: "web_search_result_location",
    url,
    title: title ?? null,
    encrypted_index: noIndex,
    cited_text: citedText ?? "",
  };
  return [cited];
}

/** The vendor's own citations, on their way back to it: it refuses those that it did not make. */
export function ownCitations(citations: readonly Citation[]): readonly unknown[] {
  return citations.flatMap(({ own }) => (own?.wire === "messages" ? [own.value] : []));
}
