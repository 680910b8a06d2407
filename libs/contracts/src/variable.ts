/** Documentation of one variable. */
export interface VariableDescription {
  readonly name: string;
  readonly kind: "text" | "url" | "integer" | "port" | "choice" | "secret";
  /** The value where it is unset; undefined without a default. */
  readonly fallback: string | undefined;
  /** True if the process does not start without it. */
  readonly isRequired: boolean;
  /** Unit of an integer, from its name: ms, bytes, tokens … */
  readonly unit: string | undefined;
  /** The bounds of an integer, or the words of a choice. */
  readonly allowed: string | undefined;
  /** One line for the person who sets it. */
  readonly meaning: string;
}

/** One variable: its description, and how its text is read. */
export interface DeclaredVariable<Value = unknown> extends VariableDescription {
  /** Parses the text, undefined where the variable is unset or empty. Throws RangeError saying what is wrong. */
  readonly read: (text: string | undefined) => Value;
}
