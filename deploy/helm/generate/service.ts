import { endSeconds, ports, preStopSeconds, prefixOf } from "../../k8s/generate/deployment.ts";
import { areaUrls, objectsOf } from "../../k8s/generate/objects.ts";
import { optionalSecrets, streamSeconds, type ServiceRow } from "../../k8s/generate/services.ts";
import { applyJsonPatch, type PatchStep } from "../../k8s/render/json-patch.ts";
import { isFields, textOf, type Fields, type Value } from "../../k8s/render/value.ts";
import { ciliumPolicyOf } from "./cilium.ts";
import { hasStreams, scaledObjectOf, streamsMetric } from "./keda.ts";
import { fieldsOf, patchesOf } from "./manifest.ts";
import {
  block,
  blockIf,
  inlineExpression,
  labelsOr,
  optionalMember,
  renderTemplate,
  secretKeyOf,
  type Part,
} from "./template.ts";

/** Variables that the chart sets for all services. */
const commonVariables = ["OTEL_EXPORTER_OTLP_ENDPOINT", "NODE_EXTRA_CA_CERTS"];
const publisherVariables = ["NATS_REPLICAS", "NATS_KEEP_BYTES"];
/** Service that the Gateway and the Ingress lead to. Each adds one address to X-Forwarded-For. */
const outerService = "edge";
const behindProxyCondition =
  'and (or .Values.gateway.enabled .Values.ingress.enabled) (not (hasKey $service.env "PROXIES"))';
/** Variables with the address that clients call, by service: for links to videos, and for the console. */
const publicUrlVariables: Readonly<Record<string, readonly string[]>> = {
  video: ["PUBLIC_URL"],
  control: ["EDGE_URL"],
};
const publicUrlVariablesOf = ({ name }: ServiceRow): readonly string[] => publicUrlVariables[name] ?? [];

/** Returns the variables that the template sets, so that `env` values cannot. */
export function fixedVariables(row: ServiceRow, rows: readonly ServiceRow[]): readonly string[] {
  return [
    row.portVariable,
    `${prefixOf(row.name)}_OPS_PORT`,
    "DRAIN_MS",
    ...(row.calledBy === "gateway" ? Object.keys(areaUrls(rows)) : []),
    // Service selection, addresses of services, and paths in the container.
    ...Object.keys(row.env ?? {}).filter((name) => name.endsWith("_URL") || name.startsWith("MODELGATE_")),
    ...row.secrets,
    ...(row.secrets.includes("MODELGATE_SECRET") ? ["MODELGATE_SECRET_BEFORE"] : []),
    ...(row.secrets.includes("NATS_URL") ? publisherVariables : []),
    ...publicUrlVariablesOf(row),
    ...(row.readsConfiguration ? ["MODELGATE_SEED"] : []),
    ...commonVariables,
  ];
}

/** Returns the template of a service, with values of the chart in its objects. */
export function serviceTemplate(row: ServiceRow, rows: readonly ServiceRow[], head: string): string {
  const isSimulator = !rows.includes(row);
  const values = isSimulator ? `.Values.${row.name}` : `.Values.services.${row.name}`;
  const conditions: Readonly<Record<string, string>> = {
    HorizontalPodAutoscaler: 'eq .Values.autoscaling.kind "hpa"',
    PodDisruptionBudget: ".Values.podDisruptionBudget.enabled",
    NetworkPolicy: ".Values.networkPolicy.enabled",
    ScaledObject: 'eq .Values.autoscaling.kind "keda"',
    CiliumNetworkPolicy: "and .Values.networkPolicy.enabled .Values.networkPolicy.cilium.enabled",
  };
  const objects = [
    ...objectsOf(row, rows).map((object) => withValues(fieldsOf(object), row, rows)),
    scaledObjectOf(row),
    ...(row.callsVendors || row.sendsAlerts === true ? [ciliumPolicyOf(row)] : []),
  ];
  const parts = objects.map((object): Part => {
    const condition = conditions[textOf(object["kind"])];
    return condition === undefined ? { object } : { object, when: condition };
  });
  const text = renderTemplate(`{{- $service := ${values} }}\n`, parts);
  return head + (isSimulator ? `{{- if ${values}.enabled }}\n${text}{{- end }}\n` : text);
}

function withValues(object: Fields, row: ServiceRow, rows: readonly ServiceRow[]): Fields {
  const kind = textOf(object["kind"]);
  if (kind === "Deployment") return applyJsonPatch(object, deploymentSteps(object, row, rows));
  if (kind === "HorizontalPodAutoscaler") return applyJsonPatch(object, autoscalerSteps(row));
  if (kind === "PodDisruptionBudget")
    return applyJsonPatch(object, [
      {
        op: "replace",
        path: "/spec/maxUnavailable",
        value: inlineExpression(".Values.podDisruptionBudget.maxUnavailable"),
      },
    ]);
  if (kind === "NetworkPolicy") return applyJsonPatch(object, networkSteps(object, row));
  return object;
}

const replace = (path: string, value: Value): PatchStep => ({ op: "replace", path, value });
const append = (path: string, item: Value): PatchStep => ({ op: "add", path: `${path}/-`, value: item });
/** Returns a step that adds template lines to an object. `placeholder` is the result of `block` for these lines. */
const addLines = (path: string, placeholder: string): PatchStep => ({
  op: "add",
  path: `${path}/${placeholder}`,
  value: null,
});

function deploymentSteps(object: Fields, row: ServiceRow, rows: readonly ServiceRow[]): readonly PatchStep[] {
  const pod = "/spec/template/spec";
  const container = `${pod}/containers/0`;
  return [
    addLines(
      "/spec",
      blockIf('eq .Values.autoscaling.kind "none"', { replicas: inlineExpression("$service.replicas.min") }),
    ),
    addLines("/spec/template/metadata", optionalMember("annotations", ".Values.pods.annotations")),
    replace(
      `${pod}/terminationGracePeriodSeconds`,
      inlineExpression(`add ${preStopSeconds + endSeconds} (int $service.drainSeconds)`),
    ),
    ...["nodeSelector", "tolerations", "affinity", "priorityClassName"].map((name) =>
      addLines(pod, optionalMember(name, `.Values.pods.${name}`)),
    ),
    addLines(
      pod,
      block(
        "{{- with .Values.image.pullSecrets }}\nimagePullSecrets:\n{{- range . }}\n  - name: {{ . }}\n{{- end }}\n{{- end }}",
      ),
    ),
    replace(
      `${container}/image`,
      inlineExpression(
        `include "modelgate.image" (dict "root" . "name" "${row.image ?? "gateway"}" "image" $service.image)`,
      ),
    ),
    addLines(container, optionalMember("imagePullPolicy", ".Values.image.pullPolicy")),
    replace(`${container}/env`, variablesOf(itemsOf(object, container, "env"), row, rows)),
    { op: "remove", path: `${container}/resources` },
    addLines(container, optionalMember("resources", "$service.resources")),
    replace(`${pod}/volumes/0/emptyDir/sizeLimit`, inlineExpression("$service.disk")),
    ...(row.readsConfiguration
      ? [
          replace(`${pod}/volumes/1/configMap/name`, inlineExpression(".Values.config.configMap")),
          replace(`${container}/envFrom/0/secretRef/name`, inlineExpression(".Values.secrets.vendorKeys")),
        ]
      : []),
    append(
      `${pod}/volumes`,
      blockIf(privateCa, [{ name: "ca", secret: { secretName: inlineExpression(privateCa), optional: true } }]),
    ),
    append(`${container}/volumeMounts`, blockIf(privateCa, [{ name: "ca", mountPath: "/ca", readOnly: true }])),
  ];
}

const privateCa = ".Values.privateCa.secret";
/** Variable with the path of the configuration, or of the first one if later ones are stored in the books. */
const configurationVariable = 'ternary "MODELGATE_SEED" "MODELGATE_CONFIG" (eq .Values.config.source "books")';

function variablesOf(env: readonly Fields[], row: ServiceRow, rows: readonly ServiceRow[]): readonly Value[] {
  const fixed = new Set(fixedVariables(row, rows));
  const variable = (name: string, expression: string): Fields => ({
    name,
    value: inlineExpression(`${expression} | quote`),
  });
  const ifSet = (name: string, expression: string): string => blockIf(expression, [variable(name, expression)]);
  const inManifest = env
    .filter((one) => fixed.has(textOf(one["name"])))
    .map((one) => {
      const name = textOf(one["name"]);
      if (name === "MODELGATE_CONFIG") return { ...one, name: inlineExpression(configurationVariable) };
      if (name === "DRAIN_MS") return variable(name, "mul 1000 (int $service.drainSeconds)");
      return "valueFrom" in one ? fromSecret(name) : one;
    });
  return [
    ...inManifest,
    ...(row.secrets.includes("NATS_URL")
      ? [ifSet("NATS_REPLICAS", ".Values.nats.replicas"), ifSet("NATS_KEEP_BYTES", ".Values.nats.keepBytes")]
      : []),
    ...publicUrlVariablesOf(row).map((name) => ifSet(name, '(include "modelgate.publicUrl" .)')),
    ...(row.name === outerService ? [blockIf(behindProxyCondition, [{ name: "PROXIES", value: "1" }])] : []),
    ifSet("OTEL_EXPORTER_OTLP_ENDPOINT", ".Values.tracing.endpoint"),
    blockIf(privateCa, [{ name: "NODE_EXTRA_CA_CERTS", value: "/ca/ca.crt" }]),
    block("{{- range $name, $value := $service.env }}\n- name: {{ $name }}\n  value: {{ $value | quote }}\n{{- end }}"),
  ];
}

function fromSecret(name: string): Fields {
  const secretKeyRef = secretKeyOf(name);
  return {
    name,
    valueFrom: { secretKeyRef: optionalSecrets.has(name) ? { ...secretKeyRef, optional: true } : secretKeyRef },
  };
}

function autoscalerSteps(row: ServiceRow): readonly PatchStep[] {
  const slowest = `min ${streamSeconds} (max 60 (int $service.drainSeconds))`;
  const streams = {
    type: "Pods",
    pods: {
      metric: { name: streamsMetric },
      target: { type: "AverageValue", averageValue: inlineExpression(".Values.autoscaling.streamsPerPod | quote") },
    },
  };
  return [
    replace("/spec/minReplicas", inlineExpression("$service.replicas.min")),
    replace("/spec/maxReplicas", inlineExpression("$service.replicas.max")),
    replace("/spec/metrics/0/resource/target/averageUtilization", inlineExpression(".Values.autoscaling.cpuPercent")),
    replace("/spec/behavior/scaleDown/policies/0/periodSeconds", inlineExpression(slowest)),
    ...(hasStreams(row) ? [append("/spec/metrics", blockIf(".Values.autoscaling.streamsMetric", [streams]))] : []),
  ];
}

function networkSteps(object: Fields, row: ServiceRow): readonly PatchStep[] {
  const ingress = itemsOf(object, "/spec", "ingress");
  const scrapes = ingress.findIndex((rule) => JSON.stringify(rule).includes("modelgate.io/scrapes"));
  const selector = `/spec/ingress/${scrapes}/from/0/namespaceSelector`;
  const vendors = itemsOf(object, "/spec", "egress").findIndex((rule) => JSON.stringify(rule).includes("ipBlock"));
  const rule = itemsOf(object, "/spec", "egress")[vendors];
  return [
    ...(row.name === "control" ? [append("/spec/ingress", toConsole)] : []),
    replace(selector, {
      matchLabels: { [labelsOr(".Values.networkPolicy.scrapers", '"modelgate.io/scrapes" "true"')]: null },
    }),
    ...(rule === undefined
      ? []
      : [
          // With Cilium, vendors are allowed by host name (`ciliumPolicyOf`) and not by this rule.
          replace(`/spec/egress/${vendors}`, blockIf("not .Values.networkPolicy.cilium.enabled", [rule])),
          ...(row.callsVendors ? [append("/spec/egress", blockIf(".Values.simulator.enabled", toSimulator))] : []),
          append("/spec/egress", rulesOf(".Values.networkPolicy.vendorEgress")),
        ]),
    append("/spec/egress", rulesOf(".Values.networkPolicy.egress")),
  ];
}

/** Network rule that allows calls to the simulator. */
const toSimulator = patchesOf("simulator").flatMap(({ value }) => (value === undefined ? [] : [value]));

/** Network rule that lets the chart's user open the console to pods. */
const toConsole = block(
  `{{- with .Values.networkPolicy.consoleFrom }}\n- from:\n{{- toYaml . | nindent @4 }}\n  ports:\n    - protocol: TCP\n      port: ${ports.http}\n{{- end }}`,
);

const rulesOf = (expression: string): string =>
  block(`{{- with ${expression} }}\n{{- toYaml . | nindent @ }}\n{{- end }}`);

function itemsOf(object: Fields, path: string, name: string): readonly Fields[] {
  let found: Value | undefined = object;
  for (const step of [...path.split("/").slice(1), name]) {
    if (Array.isArray(found)) found = found[Number(step)];
    else found = isFields(found) ? found[step] : undefined;
  }
  return Array.isArray(found) ? found.filter(isFields) : [];
}
