/** Error of a schema check. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer of the value. */
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/**
 * Returns the predicate of an error message that begins with the field's name: "must be a string", "must have at least
 * 1 item".
 */
export function schemaWords({ keyword, message, params }: SchemaError): string {
  const words = byKeyword[keyword];
  return words === undefined ? message : (words(new Map(Object.entries(params))) ?? message);
}

/** Returns the values that a schema allows; empty for other kinds of errors. */
export function allowedValues({ keyword, params }: SchemaError): readonly unknown[] {
  return keyword === "const" && "allowedValue" in params ? [params.allowedValue] : [];
}

/** Renders a choice of values for a sentence. */
export function oneOf(values: readonly unknown[]): string {
  const written = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return written.length === 1 ? `must be ${written[0]}` : `must be one of ${written.join(", ")}`;
}

type Params = ReadonlyMap<string, unknown>;

const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "a boolean",
  object: "an object",
  array: "an array",
  null: "null",
};

const comparisons: Readonly<Record<string, string>> = {
  ">=": "at least",
  "<=": "at most",
  ">": "more than",
  "<": "less than",
};

const byKeyword: Readonly<Record<string, (params: Params) => string | undefined>> = {
  boolean: () => "is not a known field",
  type: (params) => withWord(types[String(params.get("type"))], (type) => `must be ${type}`),
  enum: (params) => {
    const values: unknown = params.get("allowedValues");
    return Array.isArray(values) ? oneOf(values) : undefined;
  },
  const: (params) => oneOf([params.get("allowedValue")]),
  minItems: (params) => `must have at least ${counted(params, "item")}`,
  maxItems: (params) => `must have at most ${counted(params, "item")}`,
  minLength: (params) => `must have at least ${counted(params, "character")}`,
  maxLength: (params) => `must have at most ${counted(params, "character")}`,
  minimum: compared,
  maximum: compared,
  exclusiveMinimum: compared,
  exclusiveMaximum: compared,
};

function compared(params: Params): string | undefined {
  return withWord(
    comparisons[String(params.get("comparison"))],
    (than) => `must be ${than} ${String(params.get("limit"))}`,
  );
}

function counted(params: Params, what: string): string {
  const limit = Number(params.get("limit"));
  return `${limit} ${what}${limit === 1 ? "" : "s"}`;
}

function withWord(word: string | undefined, message: (word: string) => string): string | undefined {
  return word === undefined ? undefined : message(word);
}
