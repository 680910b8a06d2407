import {
  anything,
  anyText,
  closedOrNull,
  either,
  flag,
  integer,
  list,
  number,
  oneOf,
  record,
  text,
  type Shape,
} from "../checks/shape.ts";

const types = ["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
/** Whole numbers of 64 bits may come as texts. */
const count = either(integer(0), text(/^\d+$/, "a whole number"));
const bound = number(-Number.MAX_VALUE, Number.MAX_VALUE);

/** A schema as this vendor knows them: a part of OpenAPI's, and nothing of JSON Schema beyond. */
export const schema: Shape = (value, path) => schemaFields(value, path);

const schemaFields = closedOrNull(
  {},
  {
    type: oneOf(...types, ...types.map((type) => type.toLowerCase())),
    format: anyText,
    title: anyText,
    description: anyText,
    nullable: flag,
    enum: list(anyText),
    items: schema,
    minItems: count,
    maxItems: count,
    properties: record(schema),
    required: list(anyText),
    propertyOrdering: list(anyText),
    minProperties: count,
    maxProperties: count,
    minimum: bound,
    maximum: bound,
    minLength: count,
    maxLength: count,
    pattern: anyText,
    example: anything,
    anyOf: list(schema),
    default: anything,
  },
);
