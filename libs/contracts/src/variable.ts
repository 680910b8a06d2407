/** Documentation of one environment variable. */
export interface VariableDescription {
  readonly name: string;
  readonly kind: "text" | "url" | "integer" | "port" | "choice" | "secret";
  /** Default value as text. */
  readonly fallback: string | undefined;
  /** True if the process does not start without the variable. */
  readonly isRequired: boolean;
  /** Unit of an integer, from the ending of its name: ms, bytes, tokens … */
  readonly unit: string | undefined;
  /** Limits of an integer or allowed values of a choice, as text. */
  readonly allowed: string | undefined;
  readonly meaning: string;
}

/** An environment variable, with the parser of its text. */
export interface DeclaredVariable<Value = unknown> extends VariableDescription {
  /** Parses the text, which is undefined if the variable is unset or empty. Throws RangeError with the reason. */
  readonly read: (text: string | undefined) => Value;
  /** Earlier name of the variable, which must not be set. */
  readonly formerName?: string | undefined;
}
