/**
 * Merges what several processes say in the text format of Prometheus, in which a metric may be described once only. Their
 * samples differ by a label of each process, so none is added up.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const families = new Map<string, { readonly head: Set<string>; readonly samples: string[] }>();
  for (const text of texts) {
    let family: { readonly head: Set<string>; readonly samples: string[] } | undefined;
    for (const line of text.split("\n")) {
      const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { head: new Set(), samples: [] };
        families.set(name, family);
        family.head.add(line);
      } else if (line !== "") family?.samples.push(line);
    }
  }
  return [...families.values()].map(({ head, samples }) => [...head, ...samples, ""].join("\n")).join("\n");
}
