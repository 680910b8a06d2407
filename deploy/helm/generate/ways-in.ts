import { applyJsonPatch, type PatchStep } from "../../k8s/render/json-patch.ts";
import { isFields, textOf, type Value } from "../../k8s/render/value.ts";
import { readManifest } from "./manifest.ts";
import { inlineExpression, optionalMember, renderTemplate } from "./template.ts";

const [gateway = {}] = readManifest("components/gateway-api/gateway.yaml");
const [route = {}] = readManifest("components/gateway-api/route.yaml");
const [ingress = {}] = readManifest("components/ingress/ingress.yaml");

const replace = (path: string, value: Value): PatchStep => ({ op: "replace", path, value });

/** Returns the annotations of the manifests' Ingress. */
export function ingressAnnotations(): Readonly<Record<string, string>> {
  const metadata = ingress["metadata"];
  const annotations = isFields(metadata) ? metadata["annotations"] : undefined;
  if (!isFields(annotations)) throw new TypeError("components/ingress has no annotations");
  return Object.fromEntries(Object.entries(annotations).map(([name, value]) => [name, textOf(value)]));
}

/** Returns the template of the Gateway and its route. */
export function gatewayTemplate(head: string): string {
  const valuesPath = ".Values.gateway";
  return renderTemplate(`${head}{{- if ${valuesPath}.enabled }}\n`, [
    {
      object: applyJsonPatch(gateway, [
        { op: "add", path: `/metadata/${optionalMember("annotations", `${valuesPath}.annotations`)}`, value: null },
        replace("/spec/gatewayClassName", inlineExpression(`${valuesPath}.className`)),
        replace("/spec/listeners/0/hostname", inlineExpression(`${valuesPath}.host`)),
        replace("/spec/listeners/0/tls/certificateRefs/0/name", inlineExpression(`${valuesPath}.tlsSecret`)),
      ]),
    },
    { object: applyJsonPatch(route, [replace("/spec/hostnames/0", inlineExpression(`${valuesPath}.host | quote`))]) },
  ]).concat("{{- end }}\n");
}

export function ingressTemplate(head: string): string {
  const valuesPath = ".Values.ingress";
  return renderTemplate(`${head}{{- if ${valuesPath}.enabled }}\n`, [
    {
      object: applyJsonPatch(ingress, [
        { op: "remove", path: "/metadata/annotations" },
        { op: "add", path: `/metadata/${optionalMember("annotations", `${valuesPath}.annotations`)}`, value: null },
        replace("/spec/ingressClassName", inlineExpression(`${valuesPath}.className`)),
        replace("/spec/tls/0/hosts/0", inlineExpression(`${valuesPath}.host | quote`)),
        replace("/spec/tls/0/secretName", inlineExpression(`${valuesPath}.tlsSecret`)),
        replace("/spec/rules/0/host", inlineExpression(`${valuesPath}.host | quote`)),
      ]),
    },
  ]).concat("{{- end }}\n");
}
