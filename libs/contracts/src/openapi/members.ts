/** Names of members, apart by blanks, by the kind of their values. */
export type Members = Readonly<
  Partial<Record<"number" | "integer" | "boolean" | "string" | "array" | "object" | "any", string>>
>;
