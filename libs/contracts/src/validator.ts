import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";

/** Validator of a schema, with the methods of TypeBox's validators. */
export interface SchemaValidator<Schema extends TSchema> {
  Check(value: unknown): value is Static<Schema>;
  Errors(value: unknown): TLocalizedValidationError[];
}

/**
 * Creates a validator that compiles its schema at its first use, because a process uses few of the schemas it loads.
 * `prepare` changes the schema before that.
 */
export function validatorOf<const Schema extends TSchema>(
  schema: Schema,
  prepare: (schema: TSchema) => TSchema = (same) => same,
): SchemaValidator<Schema> {
  let compiled: Validator | undefined;
  const validator = (): Validator => (compiled ??= Compile(prepare(schema)));
  return {
    Check: (value): value is Static<Schema> => validator().Check(value),
    Errors: (value) => validator().Errors(value),
  };
}
