import { isRecord } from "../checks/members.ts";

/** Members whose content is not converted, because the caller chooses the names in it. */
const callerMembers = new Set([
  "args",
  "response",
  "parametersJsonSchema",
  "responseJsonSchema",
  "partMetadata",
  "properties",
]);

/** Converts field names to camelCase, because the vendor accepts both spellings. */
export function toCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCase);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const camel = name.replace(/(?<=[a-z\d])_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (camel === "properties" && isRecord(member))
        return [camel, Object.fromEntries(Object.entries(member).map(([key, inner]) => [key, toCamelCase(inner)]))];
      return [camel, callerMembers.has(camel) ? member : toCamelCase(member)];
    }),
  );
}
