/** Documentation of one variable. */
export interface VariableDescription {
  readonly name: string;
  readonly kind: "text" | "url" | "integer" | "port" | "choice" | "secret";
  /** Default value; undefined if there is none. */
  readonly fallback: string | undefined;
  /** True if the process does not start without it. */
  readonly isRequired: boolean;
  /** Unit of an integer, from its name: ms, bytes, tokens … */
  readonly unit: string | undefined;
  /** Limits of an integer, or the values of a choice. */
  readonly allowed: string | undefined;
  /** Documentation in one line. */
  readonly meaning: string;
}

/** A variable with its description and the parser of its text. */
export interface DeclaredVariable<Value = unknown> extends VariableDescription {
  /** Parses the text, which is undefined if the variable is unset or empty. Throws RangeError with the reason. */
  readonly read: (text: string | undefined) => Value;
}
