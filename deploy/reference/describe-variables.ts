import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { DeclaredVariable } from "@modelgate/contracts";
import { serviceNames } from "../local/services.ts";

const root = join(import.meta.dirname, "../..");

/** Environment variables of one program. */
export interface ServiceEnvironment {
  readonly service: string;
  readonly variables: readonly DeclaredVariable[];
}

/** Programs that read environment variables. */
const programs: readonly string[] = [...serviceNames, "gateway"];

/** Returns the variables of every program, as its `src/env.ts` declares them. */
export function describeVariables(): Promise<readonly ServiceEnvironment[]> {
  return Promise.all(programs.map(async (service) => ({ service, variables: await variablesOf(service) })));
}

/** Reads the variables in the `src/env.ts` of a program. */
export async function variablesOf(service: string): Promise<readonly DeclaredVariable[]> {
  const file = join(root, service === "simulator" ? "e2e" : "services", service, "src/env.ts");
  const { variables }: { variables: { describe(): readonly DeclaredVariable[] } } = await import(
    pathToFileURL(file).href
  );
  return variables.describe();
}
