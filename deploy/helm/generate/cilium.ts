import { labelsOf, selectorOf } from "../../k8s/generate/deployment.ts";
import { internetPorts } from "../../k8s/generate/network-policy.ts";
import type { ServiceRow } from "../../k8s/generate/services.ts";
import type { Fields } from "../../k8s/render/value.ts";
import { block, inlineExpression, labelsOr } from "./template.ts";

/**
 * Returns the policy for the host names of vendors and of targets of alerts. Cilium allows connections to addresses in
 * DNS answers for these names.
 */
export function ciliumPolicyOf(row: ServiceRow): Fields {
  const port = (number: string, protocol: string): Fields => ({ port: number, protocol });
  return {
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    metadata: { name: `${row.name}-vendors`, labels: labelsOf(row) },
    spec: {
      endpointSelector: { matchLabels: selectorOf(row.name) },
      egress: [
        {
          toEndpoints: [
            {
              matchLabels: {
                "k8s:io.kubernetes.pod.namespace": inlineExpression(".Values.networkPolicy.cilium.dnsNamespace"),
                [labelsOr(".Values.networkPolicy.cilium.dns", '"k8s:k8s-app" "kube-dns"')]: null,
              },
            },
          ],
          toPorts: [{ ports: [port("53", "UDP"), port("53", "TCP")], rules: { dns: [{ matchPattern: "*" }] } }],
        },
        {
          toFQDNs: [
            block("{{- range .Values.networkPolicy.cilium.names }}\n- matchPattern: {{ . | quote }}\n{{- end }}"),
          ],
          toPorts: [{ ports: internetPorts(row).map((number) => port(String(number), "TCP")) }],
        },
      ],
    },
  };
}
