import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { applyJsonPatch, patchShape } from "./json-patch.ts";
import { isFolder, parseObjects, readKustomization, type Kustomization } from "./kustomization.ts";
import { isFields, textOf, type Fields, type Value } from "./value.ts";

/** Kinds in our manifests that belong to no namespace. */
const clusterScoped = new Set(["Namespace", "GatewayClass"]);

/**
 * Renders a folder as `kustomize build` does, which is not available as a package. If kubectl is installed, a test
 * compares the results.
 */
export function renderFolder(folder: string): readonly Fields[] {
  return applyKustomization(folder, []);
}

function applyKustomization(folder: string, before: readonly Fields[]): readonly Fields[] {
  const kustomization = readKustomization(folder);
  const { resources = [], components = [], configMapGenerator = [], patches = [], images = [] } = kustomization;
  if (configMapGenerator.length > 0 && kustomization.generatorOptions === undefined)
    throw new TypeError(`${folder}: the names of generated objects are to have no hash`);
  let objects: readonly Fields[] = [
    ...before,
    ...resources.flatMap((path) => readResource(join(folder, path))),
    ...configMapGenerator.map(({ name, files }) => configMapOf(folder, name, files)),
  ];
  for (const path of components) objects = applyKustomization(join(folder, path), objects);
  for (const patch of patches) objects = applyPatch(objects, patch);
  const { namespace } = kustomization;
  if (namespace !== undefined) objects = objects.map((object) => inNamespace(object, namespace));
  return objects.map((object) => withImages(object, images));
}

function readResource(path: string): readonly Fields[] {
  return isFolder(path) ? renderFolder(path) : parseObjects(readFileSync(path, "utf8"));
}

function configMapOf(folder: string, name: string, files: readonly string[]): Fields {
  const data = Object.fromEntries(files.map((file) => [basename(file), readFileSync(join(folder, file), "utf8")]));
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

type Patch = NonNullable<Kustomization["patches"]>[number];

function applyPatch(objects: readonly Fields[], { target, patch }: Patch): readonly Fields[] {
  const steps: unknown = parse(patch);
  if (!patchShape.Check(steps)) throw new TypeError(`only JSON patches are understood here: ${patch}`);
  const found = objects.filter((object) => matches(object, target));
  if (found.length === 0) throw new RangeError(`a patch finds nothing: ${JSON.stringify(target)}`);
  return objects.map((object) => (found.includes(object) ? applyJsonPatch(object, steps) : object));
}

function matches(object: Fields, { kind, name, labelSelector }: Patch["target"]): boolean {
  if (kind !== undefined && object["kind"] !== kind) return false;
  // Target names are regular expressions that match completely.
  if (name !== undefined && !new RegExp(`^(?:${name})$`).test(nameOf(object))) return false;
  if (labelSelector === undefined) return true;
  const labels = isFields(object["metadata"]) ? object["metadata"]["labels"] : undefined;
  const [label = "", value] = labelSelector.split("=");
  return isFields(labels) && labels[label] === value;
}

/** Returns the `metadata.name` of an object, or "". */
export function nameOf(object: Fields): string {
  return isFields(object["metadata"]) ? textOf(object["metadata"]["name"]) : "";
}

function inNamespace(object: Fields, namespace: string): Fields {
  if (clusterScoped.has(textOf(object["kind"])) || !isFields(object["metadata"])) return object;
  return { ...object, metadata: { ...object["metadata"], namespace } };
}

function withImages(object: Fields, images: NonNullable<Kustomization["images"]>): Fields {
  const change = (node: Value, name: string): Value => {
    if (Array.isArray(node)) return node.map((item: Value) => change(item, name));
    if (isFields(node))
      return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, change(member, key)]));
    if (name !== "image" || typeof node !== "string") return node;
    const image = images.find((one) => node === one.name || node.startsWith(`${one.name}:`));
    if (image === undefined) return node;
    return `${image.newName ?? image.name}${image.newTag === undefined ? node.slice(image.name.length) : `:${image.newTag}`}`;
  };
  const changed = change(object, "");
  return isFields(changed) ? changed : object;
}
