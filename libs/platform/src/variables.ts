import type { DeclaredVariable, VariableDescription } from "@modelgate/contracts";
import { StartError } from "./start-error.ts";

/** Inclusive limits of an integer. */
export interface IntegerBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** Earlier name of the variable. A process does not start if it is set. */
  readonly formerName?: string | undefined;
}

/** Reads environment variables by name. `meaning` is the documentation of the variable. */
export interface VariableReader {
  /** The variable is required if `fallback` is undefined. */
  text(name: string, fallback: string | undefined, meaning: string): string;
  optionalText(name: string, meaning: string): string | undefined;
  url(name: string, meaning: string): string;
  optionalUrl(name: string, meaning: string): string | undefined;
  /** Reads one address of the form http://host:port. */
  optionalHttpAddress(name: string, meaning: string): string | undefined;
  integer(name: string, fallback: number, meaning: string, bounds?: IntegerBounds): number;
  /** Reads a port; 0 selects a free one. */
  port(name: string, fallback: number, meaning: string): number;
  choice<const Word extends string>(name: string, values: readonly Word[], fallback: Word, meaning: string): Word;
  /** Reads a comma-separated list of words. Returns all words if it is unset. */
  choices<const Word extends string>(name: string, values: readonly Word[], meaning: string): readonly Word[];
  /** Reads a secret of at least 16 characters. */
  secret(name: string, meaning: string): string;
  optionalSecret(name: string, meaning: string): string | undefined;
}

/** Reads a group of variables. It also runs with a reader that only lists the variables. */
export type Declaration<Values> = (read: VariableReader) => Values;

/** Reads all variables of a declaration. Throws one StartError that names every invalid variable. */
export function readVariables<Values>(
  declare: Declaration<Values>,
  // The only access to the process's environment.
  // oxlint-disable-next-line no-restricted-properties
  source: Readonly<Record<string, string | undefined>> = process.env,
): Values {
  const problems = new Set<string>(); // services of one process read some of the same variables
  const values = declare(
    readerOf(({ name, formerName = "", read }, placeholder) => {
      if ((source[formerName] ?? "") !== "") problems.add(`${formerName} is now named ${name}`);
      try {
        return read(source[name] === "" ? undefined : source[name]);
      } catch (error) {
        problems.add(`${name} ${error instanceof Error ? error.message : String(error)}`);
        return placeholder;
      }
    }),
  );
  if (problems.size > 0)
    throw new StartError(`Wrong environment:\n${[...problems].map((line) => `  ${line}`).join("\n")}`);
  return values;
}

/** Lists the variables of a declaration. Throws if a name is declared twice. */
export function describeVariables(declare: Declaration<unknown>): readonly DeclaredVariable[] {
  const declared = new Map<string, DeclaredVariable>();
  declare(
    readerOf((variable, placeholder) => {
      if (declared.has(variable.name)) throw new Error(`${variable.name} is declared twice`);
      declared.set(variable.name, variable);
      return placeholder;
    }),
  );
  return [...declared.values()];
}

/** Returns the value that was read, or the placeholder. */
type ResolveValue = <Value>(variable: DeclaredVariable<Value>, placeholder: Value) => Value;

function readerOf(resolve: ResolveValue): VariableReader {
  const integer: VariableReader["integer"] = (name, fallback, meaning, bounds = {}) =>
    resolve(integerOf("integer", { name, fallback, meaning, bounds }), fallback);
  return {
    integer,
    port: (name, fallback, meaning) =>
      resolve(integerOf("port", { name, fallback, meaning, bounds: { max: 65_535 } }), fallback),
    text: (name, fallback, meaning) =>
      resolve(
        {
          ...describe("text", name, meaning),
          fallback,
          isRequired: fallback === undefined,
          read: orFallback(fallback),
        },
        fallback ?? "",
      ),
    optionalText: (name, meaning) => resolve({ ...describe("text", name, meaning), read: (text) => text }, undefined),
    url: (name, meaning) =>
      resolve(
        { ...describe("url", name, meaning), isRequired: true, read: (text) => parseUrls(text ?? rejectUnset()) },
        "",
      ),
    optionalUrl: (name, meaning) =>
      resolve({ ...describe("url", name, meaning), read: (text) => ifSet(text, parseUrls) }, undefined),
    optionalHttpAddress: (name, meaning) =>
      resolve({ ...describe("url", name, meaning), read: (text) => ifSet(text, parseHttpAddress) }, undefined),
    choice: (name, values, fallback, meaning) =>
      resolve(
        {
          ...describe("choice", name, meaning),
          fallback,
          allowed: values.join(", "),
          read: (text) =>
            text === undefined
              ? fallback
              : (values.find((value) => value === text) ?? rejectValue(`must be one of ${values.join(", ")}`)),
        },
        fallback,
      ),
    choices: (name, values, meaning) =>
      resolve(
        {
          ...describe("choice", name, meaning),
          fallback: values.join(","),
          allowed: `some of ${values.join(", ")}`,
          read: (text) => (text === undefined ? values : parseWords(text, values)),
        },
        values,
      ),
    secret: (name, meaning) =>
      resolve(
        { ...describe("secret", name, meaning), isRequired: true, read: (text) => parseSecret(text ?? rejectUnset()) },
        "",
      ),
    optionalSecret: (name, meaning) =>
      resolve({ ...describe("secret", name, meaning), read: (text) => ifSet(text, parseSecret) }, undefined),
  };
}

function describe(kind: VariableDescription["kind"], name: string, meaning: string): VariableDescription {
  return { name, kind, fallback: undefined, isRequired: false, unit: undefined, allowed: undefined, meaning };
}

interface DeclaredInteger {
  readonly name: string;
  readonly fallback: number;
  readonly meaning: string;
  readonly bounds: IntegerBounds;
}

function integerOf(
  kind: "integer" | "port",
  { name, fallback, meaning, bounds: { min = 0, max = Number.MAX_SAFE_INTEGER, formerName } }: DeclaredInteger,
): DeclaredVariable<number> {
  return {
    ...describe(kind, name, meaning),
    fallback: String(fallback),
    unit: unitsByEnding.find(([ending]) => name.endsWith(ending))?.[1],
    formerName,
    allowed: max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`,
    read: (text) => (text === undefined ? fallback : parseInteger(text, min, max)),
  };
}

const unitsByEnding: readonly (readonly [string, string])[] = [
  ["_BYTES_PER_SECOND", "bytes a second"],
  ["_BYTES", "bytes"],
  ["_MS", "ms"],
  ["_SECONDS", "seconds"],
  ["_DAYS", "days"],
  ["_TOKENS", "tokens"],
  ["_CHARACTERS", "characters"],
  ["_PERCENT", "percent"],
];

function rejectUnset(): never {
  throw new RangeError("is not set");
}

function rejectValue(problem: string): never {
  throw new RangeError(problem);
}

function orFallback(fallback: string | undefined): (text: string | undefined) => string {
  return (text) => text ?? fallback ?? rejectUnset();
}

function ifSet(text: string | undefined, read: (text: string) => string): string | undefined {
  return text === undefined ? undefined : read(text);
}

function parseWords<Word extends string>(text: string, values: readonly Word[]): readonly Word[] {
  const selected = new Set(text.split(",").map((item) => item.trim()));
  const unknown = [...selected].filter((item) => !values.some((value) => value === item));
  return unknown.length === 0
    ? values.filter((value) => selected.has(value))
    : rejectValue(`has unknown values (${unknown.join(", ")}); allowed: ${values.join(", ")}`);
}

function parseSecret(secret: string): string {
  return secret.length < 16 ? rejectValue("must have at least 16 characters") : secret;
}

function parseUrls(text: string): string {
  for (const item of text.split(",")) {
    const { username, password } = URL.parse(item.trim()) ?? rejectValue("is not a URL");
    if (!isPercentEncoded(`${username}:${password}`))
      rejectValue("has a % in its user name or password that must be written as %25");
  }
  return text;
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parseHttpAddress(text: string): string {
  return /^http:\/\/[^/,]+\/?$/.test(text) && URL.canParse(text)
    ? text
    : rejectValue("must be one address such as http://host:8080");
}

function parseInteger(text: string, min: number, max: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value >= min && value <= max
    ? value
    : rejectValue(`must be a whole number from ${min} to ${max}`);
}
