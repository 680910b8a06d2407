import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { patchShape, type PatchStep } from "../../k8s/render/json-patch.ts";
import { parseObjects, readKustomization } from "../../k8s/render/kustomization.ts";
import type { Fields } from "../../k8s/render/value.ts";

/** Converts a built Kubernetes object to the form that `parseObjects` returns. */
export function fieldsOf(object: object): Fields {
  const [fields] = parseObjects(stringify(object, { aliasDuplicateObjects: false }));
  if (fields === undefined) throw new TypeError("no object");
  return fields;
}

const k8s = join(import.meta.dirname, "../../k8s");

/** Returns the objects of a manifest in `deploy/k8s`. */
export function readManifest(path: string): readonly Fields[] {
  return parseObjects(readFileSync(join(k8s, path), "utf8"));
}

/** Returns the steps of all patches of a component. */
export function patchesOf(component: string): readonly PatchStep[] {
  const { patches = [] } = readKustomization(join(k8s, "components", component));
  return patches.flatMap(({ patch }) => {
    const steps: unknown = parse(patch);
    if (!patchShape.Check(steps)) throw new TypeError(`components/${component}: not a JSON patch`);
    return steps;
  });
}
