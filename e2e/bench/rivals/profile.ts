/** What a V8 profile says, as far as it is read here. */
export interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function, by its name and the file that it is in. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
}

/** A part of the code, and its share of the CPU time of all profiled processes, 0 to 1. */
export interface Share {
  readonly part: string;
  readonly share: number;
}

/** Adds up the self time of profiles by package, folder of ours, or part of Node; the largest first. */
export function sharesIn(profiles: readonly Profile[]): readonly Share[] {
  const micros = new Map<string, number>();
  for (const { nodes, samples, timeDeltas } of profiles) {
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
export function partOf({ functionName, url }: Frame): string | undefined {
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
