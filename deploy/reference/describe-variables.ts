import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { entryOf, serviceNames } from "../local/services.ts";

/** One variable, as `@modelgate/platform` describes it, whose own tests need this package. */
export interface DeclaredVariable {
  readonly name: string;
  readonly kind: "text" | "url" | "integer" | "port" | "choice" | "secret";
  /** The value where it is unset; undefined where there is none. */
  readonly fallback: string | undefined;
  /** Whether the service does not start without it. */
  readonly isRequired: boolean;
  /** What an integer counts: ms, bytes, tokens … */
  readonly unit: string | undefined;
  /** The bounds of an integer, or the words of a choice. */
  readonly allowed: string | undefined;
  /** One line for the person who sets it. */
  readonly meaning: string;
  /** Parses a text as the service does; throws RangeError saying what is wrong. */
  read(text: string | undefined): unknown;
}

/** The environment of one service. */
export interface ServiceEnvironment {
  readonly service: string;
  readonly variables: readonly DeclaredVariable[];
}

/** The programs that read an environment: the services, and the one that runs them together. */
const programs: readonly string[] = [...serviceNames, "gateway"];

/** Lists every variable of every program as its `src/env.ts` declares it: name, default, unit, bounds, meaning. */
export function describeVariables(): Promise<readonly ServiceEnvironment[]> {
  return Promise.all(programs.map(async (service) => ({ service, variables: await variablesOf(service) })));
}

/** Lists the variables of one service. */
export async function variablesOf(service: string): Promise<readonly DeclaredVariable[]> {
  const file = join(entryOf(service), "../env.ts");
  const { variables }: { variables: { describe(): readonly DeclaredVariable[] } } = await import(
    pathToFileURL(file).href
  );
  return variables.describe();
}
