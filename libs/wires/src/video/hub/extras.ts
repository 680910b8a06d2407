import { Failure } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";

/** Names under which some vendor would read what the price was made from: only the top level may have them. */
const priced: ReadonlySet<string> = new Set(
  "model model_name req_key duration seconds frames n num size resolution width height fps".split(" "),
);

/** Names under which some vendor reads how long a video is or how many there are, without case and marks. */
const amountWords: ReadonlySet<string> = new Set(
  (
    "duration seconds length frames numframes nframes framecount framescount videolength videoduration videoseconds " +
    "durationseconds lengthseconds nseconds n num count numvideos nvideos videocount numoutputs numresults numsamples samplecount batchsize"
  ).split(" "),
);

/** Tells whether some vendor would read a length or a number of videos under this name. */
export function isAmountWord(name: string): boolean {
  return amountWords.has(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
}

/** Reads a vendor's parameters in `metadata`. Throws Failure invalid_value for one that has a member of its own. */
export function readExtras(fields: Fields, name: string): JsonRecord | undefined {
  const extras = fields.record(name);
  refusePriced(extras, fields.at(name));
  return extras;
}

/** Throws Failure invalid_value where a `metadata` that travels as it is, an object or its JSON, has such a member. */
export function refusePriced(metadata: unknown, at: string): void {
  const extras = typeof metadata === "string" ? objectIn(metadata) : metadata;
  const wrong = isRecord(extras) ? Object.keys(extras).find((key) => priced.has(key) || isAmountWord(key)) : undefined;
  if (wrong === undefined) return;
  const param = `${at}.${wrong}`;
  throw new Failure("invalid_value", `${param} must be at the top level of the body.`, { param });
}

/** Longest text that is parsed as JSON: as long as a form's field may be. */
const longestText = 64 * 1024;

/** Parses the object in a form's field; undefined for any other text. Throws Failure request_too_large for a long one. */
export function objectIn(text: string): JsonRecord | undefined {
  if (text.length > longestText)
    throw new Failure("request_too_large", `metadata is longer than ${longestText} characters.`, { param: "metadata" });
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the extras that a vendor knows, and the names of those that it does not. */
export function extrasFor(
  extras: JsonRecord | undefined,
  known: readonly string[],
): { readonly members: JsonRecord; readonly dropped: readonly string[] } {
  const names = Object.keys(extras ?? {});
  return {
    members: Object.fromEntries(names.filter((name) => known.includes(name)).map((name) => [name, extras?.[name]])),
    dropped: names.filter((name) => !known.includes(name)).map((name) => `extras.${name}`),
  };
}
