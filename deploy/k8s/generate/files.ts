import { stringify } from "yaml";
import { objectsOf } from "./objects.ts";
import { gateway, rows, simulator } from "./services.ts";

const head = "# Written by `node deploy/k8s/generate/main.ts` from generate/services.ts: change it there.\n";

/** Returns the generated files, by their path in `deploy/k8s`. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const print = (value: object): string => stringify(value, { lineWidth: 120, aliasDuplicateObjects: false });
  const files = new Map(
    [
      ...rows.map((row) => [`base/${row.name}.yaml`, row, rows] as const),
      ["components/simulator/simulator.yaml", simulator, rows] as const,
      ["overlays/small/gateway.yaml", gateway, [gateway]] as const,
    ].map(([file, row, beside]) => [file, head + objectsOf(row, beside).map(print).join("---\n")]),
  );
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: rows.map(({ name }) => `${name}.yaml`),
  };
  return files.set("base/kustomization.yaml", head + print(kustomization));
}
