import { Type, type Static } from "typebox";
import { Failure } from "./failures/failure.ts";
import { headers } from "./headers.ts";

export const maxTags = 8;

const nameShape = "[A-Za-z0-9][A-Za-z0-9_.-]{0,31}";
const valueShape = "[A-Za-z0-9_.:/@+ -]{1,64}";
const namePattern = new RegExp(`^${nameShape}$`);
const valuePattern = new RegExp(`^${valueShape}$`);

/** Tags of a call for its usage event, such as `{ team: "search" }`. Vendors do not get them. */
export const Tags = Type.Record(
  Type.String({ pattern: `^${nameShape}$` }),
  Type.String({ pattern: `^${valueShape}$` }),
  {
    maxProperties: maxTags,
    description: `tags of the header ${headers.tags}`,
  },
);
export type Tags = Static<typeof Tags>;

/** Returns true if a text is a valid name of a tag. */
export function isTagName(name: string): boolean {
  return namePattern.test(name);
}

/** Parses the header `x-modelgate-tags`, such as `team=search,feature=chat`. Throws Failure (400). */
export function parseTags(header: string): Tags {
  const pairs = header.split(",").map((pair) => pair.trim());
  if (pairs.length > maxTags) throw malformedTags(`has ${pairs.length} tags; at most ${maxTags} are allowed`);
  const tags = new Map<string, string>();
  for (const pair of pairs) {
    const [name = "", ...rest] = pair.split("=").map((part) => part.trim());
    const value = rest.join("=");
    if (!isTagName(name) || !valuePattern.test(value))
      throw malformedTags(
        "must be name=value pairs with commas between them: names of at most 32 letters, digits, `_`, `.` and `-`; " +
          "values of at most 64 of these characters, `:`, `/`, `@`, `+` and spaces",
      );
    if (tags.has(name)) throw malformedTags(`names the tag ${name} twice`);
    tags.set(name, value);
  }
  return Object.fromEntries(tags);
}

function malformedTags(message: string): Failure {
  return new Failure("invalid_value", `${headers.tags} ${message}.`, { param: headers.tags });
}
