import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly labels: readonly string[];
}

interface Registry {
  getMetricsAsArray(): readonly {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly labelNames?: readonly string[];
  }[];
}

let registry: Registry | undefined;

/** Returns the reference of metrics, from their declarations. */
export async function metricsPage(): Promise<string> {
  const metrics = [...(await declaredMetrics()), ...metricsMadeAtStart()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  return [
    "# Metrics",
    "",
    "Every service answers `GET /metrics` on its operations port ([Ports](/guide/ports)). Each metric also has the label `service`.",
    "The usual metrics of a Node process (`process_…`, `nodejs_…`) are available too. [Monitoring](/operations/monitoring) has the alerts and",
    "dashboards.",
    "",
    "| metric | type | labels | meaning |",
    "|---|---|---|---|",
    ...metrics.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((l) => `\`${l}\``).join(", ")} | ${help} |`,
    ),
    "",
  ].join("\n");
}

async function declaredMetrics(): Promise<readonly Metric[]> {
  const files = globSync("{libs,services}/*/src/**/{*metrics,top-callers}.ts", { cwd: root });
  for (const file of files) await import(pathToFileURL(join(root, file)).href);
  const platform: { createMetrics(service: string): Registry } = await import(
    pathToFileURL(join(root, "libs/platform/src/metrics.ts")).href
  );
  registry ??= platform.createMetrics("docs");
  return registry
    .getMetricsAsArray()
    .filter(({ name }) => !name.startsWith("process_") && !/^nodejs_(?!eventloop)/.test(name))
    .map(({ name, help, type, labelNames = [] }) => ({ name, help, type, labels: labelNames }));
}

/** Reads the metrics that services create at their start, from the services' source files. */
function metricsMadeAtStart(): readonly Metric[] {
  const form =
    /new (Gauge|Counter)\(\{\s*name: "(\w+)",\s*help: "([^"]*)",(?:\s*labelNames: \[([^\]]*)\],)?\s*(?:registers|async collect|collect)/g;
  return globSync("services/*/src/**/*.ts", { cwd: root })
    .filter((file) => !file.endsWith("metrics.ts"))
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(form)].map(
        ([, type = "", name = "", help = "", labels = ""]) => ({
          name,
          help,
          type: type.toLowerCase(),
          labels: [...labels.matchAll(/"(\w+)"/g)].map(([, label = ""]) => label),
        }),
      ),
    );
}
