import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { stringify } from "yaml";
import { rows, simulator } from "../../k8s/generate/services.ts";
import { manifest } from "./manifest.ts";
import { dashboardsTemplate, monitoringFiles, podMonitorTemplate, prometheusRuleTemplate } from "./monitoring.ts";
import { notes } from "./notes.ts";
import { fixedVariables, serviceTemplate } from "./service.ts";
import { defaultsOf, nameOf, stores, storeTemplate, type Store } from "./stores.ts";
import { block, helmYaml, inlineExpression, renderTemplate } from "./template.ts";
import { valuesSchema, type Member } from "./values.ts";
import { gatewayTemplate, ingressAnnotations, ingressTemplate } from "./ways-in.ts";

const comment = "Written by `node deploy/helm/generate/main.ts`: change deploy/helm/generate or deploy/k8s.";
const head = `{{- /* ${comment} */}}\n`;

/** Settings of a release: its version, and the registry of its images. */
export interface Release {
  readonly version: string;
  /** Registry and path before `modelgate/<image>`; empty for images that were built on the machine. */
  readonly registry: string;
}

/** Returns the settings of the committed chart: the version of package.json, and no registry. */
export function unreleased(): Release {
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
  );
  return { version, registry: "" };
}

/** Returns all files of the chart, by their path in it. */
export function chart({ version, registry }: Release): ReadonlyMap<string, string> {
  const stored = <T>(of: (store: Store) => T) => ({
    redis: of("redis"),
    redisContent: of("redisContent"),
    nats: of("nats"),
    postgres: of("postgres"),
  });
  const schema = valuesSchema({
    rows,
    simulator,
    fixedVariables: (row) => fixedVariables(row, rows),
    images: stored((store) => defaultsOf(store).image),
    storage: stored((store) => defaultsOf(store).storage),
    ingressAnnotations: ingressAnnotations(),
    registry,
  });
  const about = {
    apiVersion: "v2",
    name: "modelgate",
    description: "One address and one key for every AI model.",
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.27.0-0",
  };
  return new Map([
    ["Chart.yaml", `# ${comment}\n${stringify(about)}`],
    ["values.yaml", `# ${comment}\n${valuesYaml(schema.properties)}`],
    ["values.schema.json", `${JSON.stringify(schema, undefined, 2)}\n`],
    ["templates/_names.tpl", `{{- /* ${comment} */}}\n${names}`],
    ["templates/NOTES.txt", notes],
    ["templates/namespace.yaml", namespaceTemplate()],
    ["templates/config.yaml", configTemplate()],
    ...[...rows, simulator].map((row) => [`templates/${row.name}.yaml`, serviceTemplate(row, rows, head)] as const),
    ...stores.map((store) => [`templates/${nameOf(store)}.yaml`, storeTemplate(store, head)] as const),
    ["templates/gateway.yaml", gatewayTemplate(head)],
    ["templates/ingress.yaml", ingressTemplate(head)],
    ["templates/pod-monitor.yaml", podMonitorTemplate(head)],
    ["templates/prometheus-rule.yaml", prometheusRuleTemplate(head)],
    ["templates/dashboards.yaml", dashboardsTemplate(head)],
    ...monitoringFiles(),
  ]);
}

/** Renders the defaults of a schema as YAML, each after its description. */
function valuesYaml(properties: Readonly<Record<string, TSchema>>, indent = ""): string {
  return (
    Object.entries<Member>(properties)
      // Value that Helm sets.
      .filter(([name]) => name !== "global")
      .map(([name, member]) => {
        const words = member.description ? `${indent}# ${member.description}\n` : "";
        const isGroup = Object.keys(member.properties ?? {}).length > 0;
        const value = isGroup
          ? `${indent}${name}:\n${valuesYaml(member.properties ?? {}, `${indent}  `)}`
          : stringify({ [name]: member.default }, helmYaml).replaceAll(/^(?=.)/gm, indent);
        return words + value;
      })
      .join("")
  );
}

const names = `{{- define "modelgate.image" -}}
{{- if .image }}{{ .image }}
{{- else }}
{{- with .root.Values.image.registry }}{{ . }}/{{ end }}
{{- .root.Values.image.repository }}/{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "modelgate.publicUrl" -}}
{{- if .Values.publicUrl }}{{ .Values.publicUrl }}
{{- else if .Values.gateway.enabled }}https://{{ .Values.gateway.host }}
{{- else if .Values.ingress.enabled }}https://{{ .Values.ingress.host }}
{{- end }}
{{- end }}
`;

function namespaceTemplate(): string {
  const [namespace = {}] = manifest("overlays/production/namespace.yaml");
  const object = {
    ...namespace,
    metadata: { ...Object(namespace["metadata"]), name: inlineExpression(".Release.Namespace") },
  };
  return renderTemplate(`${head}{{- if .Values.namespace.create }}\n`, [{ object }]).concat("{{- end }}\n");
}

function configTemplate(): string {
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: inlineExpression(".Values.config.configMap") },
    data: { [block("modelgate.yaml: {{ .Values.config.text | toJson }}")]: null },
  };
  return renderTemplate(`${head}{{- if .Values.config.text }}\n`, [{ object }]).concat("{{- end }}\n");
}
