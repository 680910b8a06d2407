import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { dashboards } from "../dashboards.ts";
import { knownMetrics } from "./known-metrics.ts";
import { groupedBy, selectorsIn } from "./queries.ts";

const folder = join(import.meta.dirname, "..");
const root = join(folder, "../..");

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string; readonly runbook_url?: string };
}

const { groups }: { groups: readonly { readonly rules: readonly Rule[] }[] } = parse(
  readFileSync(join(folder, "rules.yaml"), "utf8"),
);
const rules = groups.flatMap((group) => group.rules);
const recorded = new Set(rules.flatMap(({ record }) => (record === undefined ? [] : [record])));

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}
const queries = [...dashboards()].flatMap(([file, text]) => {
  const { panels }: Dashboard = JSON.parse(text);
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => [`${file}: ${title}`, expr, legendFormat] as const),
  );
});

let metricsByName: Awaited<ReturnType<typeof knownMetrics>>;
beforeAll(async () => {
  metricsByName = await knownMetrics();
});

const ofPrometheus = new Map([["up", ["job", "service", "instance"]]]);

/** Returns a message for each unknown metric or label in an expression. */
function problemsOf(expression: string): readonly string[] {
  const selectors = selectorsIn(expression);
  const labelsOf = (metric: string) => ofPrometheus.get(metric) ?? metricsByName.get(metric)?.labels;
  return selectors
    .filter(({ metric }) => !recorded.has(metric))
    .flatMap(({ metric, labels }) => {
      const metricLabels = labelsOf(metric);
      if (metricLabels === undefined) return [`no service has the metric ${metric}`];
      const unknownLabels = labels.filter((label) => !metricLabels.includes(label));
      const all = selectors.flatMap((other) => labelsOf(other.metric) ?? []);
      const ungrouped = groupedBy(expression).filter((label) => !all.includes(label));
      return [...unknownLabels, ...ungrouped].map((label) => `${metric} has no label ${label}`);
    });
}

describe("rules", () => {
  test.each(rules.map((rule) => [rule.alert ?? rule.record ?? "", rule] as const))(
    "%s uses only existing metrics",
    (_, rule) => {
      expect(problemsOf(rule.expr)).toEqual([]);
    },
  );

  test.each(rules.filter(({ alert }) => alert !== undefined).map((rule) => [rule.alert ?? "", rule] as const))(
    "%s has a severity and a description of what to do",
    (alert, { labels, annotations }) => {
      expect(["page", "ticket"]).toContain(labels?.severity);
      expect(annotations?.summary).not.toBe("");
      const page = /^\/runbooks\/([a-z-]+)$/.exec(annotations?.runbook_url ?? "")?.[1] ?? "none";
      const text = readFileSync(join(root, `docs/runbooks/${page}.md`), "utf8");
      for (const part of [`\`${alert}\``, "## What it means", "## What to look at", "## What to do"])
        expect(text).toContain(part);
    },
  );
});

describe("dashboards", () => {
  test.each([...dashboards()])("%s is what `node deploy/monitoring/build.ts` writes", (file, text) => {
    expect(readFileSync(join(folder, "dashboards", file), "utf8")).toBe(text);
  });

  test.each(queries)(
    "%s: %s uses only existing metrics, and its legend only labels that remain",
    (_, expression, legend) => {
      expect(problemsOf(expression)).toEqual([]);
      for (const [, label = ""] of legend.matchAll(/\{\{(\w+)\}\}/g)) expect(groupedBy(expression)).toContain(label);
    },
  );
});

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly profiles?: readonly string[];
}
const compose: { readonly services: Readonly<Record<string, ComposeService>> } = parse(
  readFileSync(join(root, "docker-compose.yml"), "utf8"),
  { merge: true },
);

const promtool = [process.env["MODELGATE_PROMETHEUS"], join(root, ".tools/debian-prometheus/bin/prometheus")]
  .map((program) => join(dirname(program ?? ""), "promtool"))
  .find((program) => existsSync(program));

test.skipIf(promtool === undefined)("the alerts fire and end as in rules.promtool.yaml, evaluated by promtool", () => {
  const args = ["test", "rules", join(folder, "rules.promtool.yaml")];
  const { status, stdout, stderr } = spawnSync(promtool ?? "", args, { encoding: "utf8" });
  expect(`${stdout}${stderr}`).toContain("SUCCESS");
  expect(status).toBe(0);
});

test("every alert is tested by rules.promtool.yaml or a chaos run", () => {
  const tried = readFileSync(join(folder, "rules.promtool.yaml"), "utf8");
  const provoked = readFileSync(join(root, "e2e/chaos/alerts/provocations.ts"), "utf8");
  const alerts = rules.flatMap(({ alert }) => alert ?? []);
  expect(alerts.filter((alert) => !`${tried}${provoked}`.includes(alert))).toEqual([]);
});

test.each([
  ["apart", (profiles: readonly string[]) => profiles.length === 0],
  ["one", (profiles: readonly string[]) => profiles.includes("one")],
])(
  "Prometheus scrapes every service that compose starts in the layout %s, at its operations port",
  (shape, isStarted) => {
    const expected = Object.entries(compose.services)
      .filter(([name, { image }]) => image.startsWith("modelgate/") && name !== "simulator")
      .filter(([, { profiles = [] }]) => isStarted(profiles))
      .map(([name, { environment }]) => {
        const [, port] = Object.entries(environment ?? {}).find(([variable]) => variable.endsWith("_OPS_PORT")) ?? [];
        return `${name}:${port ?? ""}`;
      });
    const found: readonly { targets: readonly string[] }[] = parse(
      readFileSync(join(folder, `targets/${shape}.yaml`), "utf8"),
    );
    expect(found.flatMap(({ targets }) => targets).toSorted()).toEqual(expected.toSorted());
  },
);

describe("compose's profile `monitoring`", () => {
  /** Returns the sources of a service's mounts by path: a file or folder of this repository, or a volume. */
  const mountsOf = (name: string): ReadonlyMap<string, string> =>
    new Map(
      (compose.services[name]?.volumes ?? []).map((volume) => {
        const [from = "", to = ""] = volume.replace("${SHAPE-apart}", "apart").split(":");
        return [to, from];
      }),
    );
  /** Returns the file of this repository behind a path in a container. */
  const fileBehind = (mounts: ReadonlyMap<string, string>, path = ""): string => {
    const source = mounts.get(path);
    return source === undefined
      ? join(root, mounts.get(dirname(path)) ?? "nowhere", basename(path))
      : join(root, source);
  };

  test("the monitoring profile starts only Prometheus and Grafana, and mounts existing files", () => {
    const profiled = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes("monitoring"));
    expect(profiled.map(([name]) => name)).toEqual(["prometheus", "grafana"]);
    for (const [name] of profiled)
      for (const from of mountsOf(name).values())
        if (from.startsWith(".")) expect(existsSync(join(root, from)), `${name}: ${from}`).toBe(true);
  });

  test("Prometheus finds its configuration, rules and targets", () => {
    const mounts = mountsOf("prometheus");
    const [, config = ""] =
      /^--config\.file=(.*)$/m.exec(compose.services["prometheus"]?.command?.join("\n") ?? "") ?? [];
    expect(fileBehind(mounts, config)).toBe(join(folder, "prometheus.yaml"));
    const { rule_files: files }: { rule_files: readonly string[] } = parse(
      readFileSync(fileBehind(mounts, config), "utf8"),
    );
    expect(fileBehind(mounts, "/etc/prometheus/targets.yaml")).toBe(join(folder, "targets/apart.yaml"));
    expect(files.map((file) => fileBehind(mounts, join(dirname(config), file)))).toEqual([join(folder, "rules.yaml")]);
  });

  test("Grafana finds Prometheus, its dashboards, and its home dashboard", () => {
    const mounts = mountsOf("grafana");
    const sources: { datasources: readonly { url: string; isDefault: boolean }[] } = parse(
      readFileSync(fileBehind(mounts, "/etc/grafana/provisioning/datasources/modelgate.yaml"), "utf8"),
    );
    expect(sources.datasources).toMatchObject([{ url: "http://prometheus:9090", isDefault: true }]);
    expect(compose.services).toHaveProperty("prometheus");
    const { providers }: { providers: readonly { options: { path: string } }[] } = parse(
      readFileSync(fileBehind(mounts, "/etc/grafana/provisioning/dashboards/modelgate.yaml"), "utf8"),
    );
    expect(providers.map(({ options }) => join(root, mounts.get(options.path) ?? ""))).toEqual([
      join(folder, "dashboards"),
    ]);
    const home = compose.services["grafana"]?.environment?.["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"];
    expect(existsSync(fileBehind(mounts, home))).toBe(true);
  });
});

test.each([
  ["an unknown metric", "rate(modelgate_nothing_total[5m])", /no service has/],
  ["an unknown label", 'modelgate_store_up{shop="redis"}', /no label/],
  ["a histogram without its ending", "gen_ai_client_token_usage", /no service has/],
])("%s is found", (_, expression, message) => {
  expect(problemsOf(expression).join()).toMatch(message);
});

test("a broken expression is found", () => {
  expect(() => selectorsIn("sum(rate(modelgate_calls_total[5m])")).toThrow(/PromQL/);
});
