import { isRecord } from "../checks/members.ts";

/** Members whose value is the caller's own: names in there stay as they are. */
const own = new Set(["args", "response", "parametersJsonSchema", "responseJsonSchema", "partMetadata", "properties"]);

/** A body with the names of its fields in camelCase: the vendor takes both spellings. */
export function camelise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelise);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const camel = name.replace(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (camel === "properties" && isRecord(member))
        return [camel, Object.fromEntries(Object.entries(member).map(([key, inner]) => [key, camelise(inner)]))];
      return [camel, own.has(camel) ? member : camelise(member)];
    }),
  );
}
