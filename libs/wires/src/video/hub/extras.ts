import { Failure } from "@modelgate/contracts";
import type { Fields, JsonRecord } from "../../json/fields.ts";

/** Names under which some vendor would read what the price was made from: they stand at the top, or nowhere. */
const priced: ReadonlySet<string> = new Set(
  "model model_name req_key duration seconds frames n num size resolution width height fps".split(" "),
);

/** A vendor's parameters in `metadata`. Throws Failure invalid_value for one that has a member of its own. */
export function readExtras(fields: Fields, name: string): JsonRecord | undefined {
  const extras = fields.record(name);
  const wrong = extras === undefined ? undefined : Object.keys(extras).find((key) => priced.has(key));
  if (wrong === undefined) return extras;
  const param = `${fields.at(name)}.${wrong}`;
  throw new Failure("invalid_value", `${param} must stand at the top of the body.`, { param });
}

/** The extras that a vendor knows, and the names of those that it does not. */
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
