/** An error of TypeBox's schema check. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer of the invalid value. */
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** Returns the predicate of an error message, such as "must be a string". */
export function schemaPredicate({ keyword, message, params }: SchemaError): string {
  const predicate = predicatesByKeyword[keyword];
  return predicate === undefined ? message : (predicate(new Map(Object.entries(params))) ?? message);
}

/** Returns the only value that a `const` schema allows, as a list; empty for errors of other keywords. */
export function allowedValues({ keyword, params }: SchemaError): readonly unknown[] {
  return keyword === "const" && "allowedValue" in params ? [params.allowedValue] : [];
}

/** Renders the predicate for a choice of allowed values: "must be one of a, b". */
export function oneOfPredicate(values: readonly unknown[]): string {
  const texts = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return texts.length === 1 ? `must be ${texts[0]}` : `must be one of ${texts.join(", ")}`;
}

type Params = ReadonlyMap<string, unknown>;

const typeNames: Readonly<Record<string, string>> = {
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

const predicatesByKeyword: Readonly<Record<string, (params: Params) => string | undefined>> = {
  boolean: () => "is not a known field",
  type: (params) => formatIfDefined(typeNames[String(params.get("type"))], (type) => `must be ${type}`),
  enum: (params) => {
    const values: unknown = params.get("allowedValues");
    return Array.isArray(values) ? oneOfPredicate(values) : undefined;
  },
  const: (params) => oneOfPredicate([params.get("allowedValue")]),
  minItems: (params) => `must have at least ${limitText(params, "item")}`,
  maxItems: (params) => `must have at most ${limitText(params, "item")}`,
  minLength: (params) => `must have at least ${limitText(params, "character")}`,
  maxLength: (params) => `must have at most ${limitText(params, "character")}`,
  minimum: comparisonPredicate,
  maximum: comparisonPredicate,
  exclusiveMinimum: comparisonPredicate,
  exclusiveMaximum: comparisonPredicate,
};

function comparisonPredicate(params: Params): string | undefined {
  return formatIfDefined(
    comparisons[String(params.get("comparison"))],
    (than) => `must be ${than} ${String(params.get("limit"))}`,
  );
}

function limitText(params: Params, subject: string): string {
  const limit = Number(params.get("limit"));
  return `${limit} ${subject}${limit === 1 ? "" : "s"}`;
}

function formatIfDefined(value: string | undefined, message: (value: string) => string): string | undefined {
  return value === undefined ? undefined : message(value);
}
