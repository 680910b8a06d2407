import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dashboards } from "../../monitoring/dashboards.ts";
import { block, inlineExpression, optionalMember, renderTemplate } from "./template.ts";

/** Returns the files of `deploy/monitoring` in the chart. They are not templates, because they contain braces. */
export function monitoringFiles(): ReadonlyMap<string, string> {
  const rules = readFileSync(join(import.meta.dirname, "../../monitoring/rules.yaml"), "utf8");
  return new Map([
    ["files/rules.yaml", rules],
    ...[...dashboards()].map(([file, text]) => [`files/dashboards/${file}`, text] as const),
  ]);
}

/** Returns the template of the PodMonitor. It sets the labels that the rules use. */
export function podMonitorTemplate(head: string): string {
  const valuesPath = ".Values.monitoring.podMonitor";
  const object = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PodMonitor",
    metadata: { name: "modelgate", [optionalMember("labels", `${valuesPath}.labels`)]: null },
    spec: {
      selector: {
        matchLabels: { "app.kubernetes.io/part-of": "modelgate" },
        // The simulator is not a part of the gateway.
        matchExpressions: [{ key: "app.kubernetes.io/name", operator: "NotIn", values: ["simulator"] }],
      },
      podMetricsEndpoints: [
        {
          port: "ops",
          interval: inlineExpression(`${valuesPath}.interval`),
          // Samples already have the label `service`, except `up`, which Prometheus creates.
          honorLabels: true,
          relabelings: [
            { targetLabel: "job", replacement: "modelgate" },
            { sourceLabels: ["__meta_kubernetes_pod_label_app_kubernetes_io_name"], targetLabel: "service" },
          ],
        },
      ],
    },
  };
  return renderTemplate(`${head}{{- if ${valuesPath}.enabled }}\n`, [{ object }]).concat("{{- end }}\n");
}

/**
 * Returns the template of the PrometheusRule. Runbooks of alerts are pages of the documentation, at a configurable
 * address.
 */
export function prometheusRuleTemplate(head: string): string {
  const valuesPath = ".Values.monitoring.prometheusRule";
  const object = {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "modelgate", [optionalMember("labels", `${valuesPath}.labels`)]: null },
    spec: {
      [block(
        `{{- .Files.Get "files/rules.yaml" | replace "runbook_url: /" (printf "runbook_url: %s/" (trimSuffix "/" ${valuesPath}.runbookBaseUrl)) | nindent @ }}`,
      )]: null,
    },
  };
  return renderTemplate(`${head}{{- if ${valuesPath}.enabled }}\n`, [{ object }]).concat("{{- end }}\n");
}

/** Returns the template of the dashboards' ConfigMaps. */
export function dashboardsTemplate(head: string): string {
  const valuesPath = ".Values.monitoring.dashboards";
  const parts = [...dashboards().keys()].map((file) => ({
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {
        name: `modelgate-dashboard-${file.replace(".json", "")}`,
        [optionalMember("labels", `${valuesPath}.labels`)]: null,
      },
      data: {
        [block(`${file}: |-\n{{- .Files.Get "files/dashboards/${file}" | trimSuffix "\\n" | nindent @2 }}`)]: null,
      },
    },
  }));
  return renderTemplate(`${head}{{- if ${valuesPath}.enabled }}\n`, parts).concat("{{- end }}\n");
}
