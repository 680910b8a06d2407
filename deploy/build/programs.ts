import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

const sources = {
  gateway: "services/gateway/src/main.ts",
  gatectl: "services/control/src/gatectl/main.ts",
  simulator: "e2e/simulator/src/main.ts",
  /** Runs the gateway's services with lower limits, for tests. */
  limited: "libs/testkit/src/limits/program.ts",
  /** Runs one of these programs repeatedly. */
  warm: "libs/testkit/src/warm/program.ts",
} as const;
export type ProgramName = keyof typeof sources;
export const programNames: readonly ProgramName[] = ["gateway", "gatectl", "simulator", "limited", "warm"];

/** Returns the path of a program's source. */
export function sourceProgram(name: ProgramName): string {
  return join(root, sources[name]);
}

/** Returns the path of a program in a folder with the bundle. */
export function programIn(folder: string, name: ProgramName): string {
  return join(folder, `${name}.js`);
}
