import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../../..");

interface KnownMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

interface Registry {
  getMetricsAsArray(): readonly {
    readonly name: string;
    readonly type: string;
    readonly labelNames?: readonly string[];
  }[];
}

/** Returns every metric of all services, by the names of its samples. */
export async function knownMetrics(): Promise<ReadonlyMap<string, KnownMetric>> {
  const files = globSync("{libs,services}/*/src/**/*metrics.ts", { cwd: root }).map((file) => join(root, file));
  for (const file of files) await import(pathToFileURL(file).href);
  const platform: { createMetrics: (service: string) => Registry } = await import(
    pathToFileURL(join(root, "libs/platform/src/metrics.ts")).href
  );
  const samples = new Map<string, KnownMetric>();
  for (const { name, type, labelNames = [] } of platform.createMetrics("test").getMetricsAsArray()) {
    const metric = { name, type, labels: [...labelNames, "service", "job", "instance"] };
    const endings = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    for (const ending of endings)
      samples.set(name + ending, ending === "_bucket" ? { ...metric, labels: [...metric.labels, "le"] } : metric);
  }
  for (const { name, type } of ownMetrics())
    if (!samples.has(name)) samples.set(name, { name, type, labels: ["service", "job", "instance"] });
  return samples;
}

/** Returns metrics that services create when they start, as their sources name them. They have no labels. */
function ownMetrics(): readonly Pick<KnownMetric, "name" | "type">[] {
  const files = globSync("services/*/src/**/*.ts", { cwd: root });
  const form =
    /new (Gauge|Counter)\(\{\s*name: "(modelgate_\w+)",\s*help: "[^"]*",\s*(?:registers|async collect|collect)/g;
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(form)].map(([, type = "", name = ""]) => ({
      name,
      type: type.toLowerCase(),
    })),
  );
}
