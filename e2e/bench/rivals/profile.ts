import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Type } from "typebox";
import { stored } from "@modelgate/contracts";

/** What a V8 profile says, as far as it is read here. */
const readProfile = stored(
  "CPU profile",
  Type.Object({
    nodes: Type.Array(
      Type.Object({
        id: Type.Number(),
        callFrame: Type.Object({ functionName: Type.String(), url: Type.String() }),
      }),
    ),
    samples: Type.Array(Type.Number()),
    timeDeltas: Type.Array(Type.Number()),
  }),
);

/** The environment with which processes write profiles, and the folder that these are in; disposal removes it. */
export function profiling(): Disposable & { readonly env: Readonly<Record<string, string>>; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "modelgate-profile-"));
  const flags = `--cpu-prof --cpu-prof-interval=250 --cpu-prof-dir=${folder}`;
  return {
    folder,
    env: { NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} ${flags}`.trim() },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A part of the code, and its share of the CPU time of all profiled processes, 0 to 1. */
export interface Share {
  readonly part: string;
  readonly share: number;
}

/** Adds up the self time of all profiles in a folder by package, folder of ours, or part of Node; the largest first. */
export function sharesIn(folder: string): readonly Share[] {
  const micros = new Map<string, number>();
  for (const file of readdirSync(folder)) {
    const { nodes, samples, timeDeltas } = readProfile(readFileSync(join(folder, file), "utf8"));
    const parts = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
    for (const [at, id] of samples.entries()) {
      const part = parts.get(id);
      if (part !== undefined) micros.set(part, (micros.get(part) ?? 0) + Math.max(0, timeDeltas[at] ?? 0));
    }
  }
  const all = [...micros.values()].reduce((sum, one) => sum + one, 0);
  return [...micros]
    .map(([part, spent]) => ({ part, share: spent / all }))
    .toSorted((left, right) => right.share - left.share);
}

/** Where a function belongs; undefined for time in which nothing ran. */
export function partOf({ functionName, url }: { functionName: string; url: string }): string | undefined {
  if (functionName === "(idle)") return undefined;
  const dependency = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  const ours = /\/((?:libs|services)\/[^/]+\/src(?:\/[^/]+(?=\/))?)/.exec(url)?.[1];
  if (ours !== undefined) return ours;
  if (url.startsWith("node:"))
    return url
      .replace(/^node:internal\//, "node:")
      .split("/")
      .slice(0, 2)
      .join("/");
  return functionName.startsWith("(") ? functionName : "native, and JavaScript of V8";
}
