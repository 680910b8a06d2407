import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf, renderFolder } from "../../k8s/render/kustomize.ts";
import { isFields, textOf, type Fields, type Value } from "../../k8s/render/value.ts";
import { localRelease } from "../generate/chart.ts";
import { example, helm, render } from "./helm.ts";

const k8s = join(import.meta.dirname, "../../k8s");
const config = (overlay: string): readonly string[] => [
  "--set-file",
  `config.text=${join(k8s, `overlays/${overlay}/modelgate.yaml`)}`,
];
const { version } = localRelease();

const pairs: readonly (readonly [what: string, kustomization: string, values: readonly string[]])[] = [
  ["default values: base", "base", []],
  ["local: overlays/local", "overlays/local", [...example("local"), ...config("local")]],
  ["production: overlays/production", "overlays/production", [...example("production"), ...config("production")]],
  ["ingress: base with components/ingress and stream-scaling", "../helm/test/ingress", example("ingress")],
];

describe.skipIf(helm === undefined).each(pairs)("%s", (_, kustomization, values) => {
  const chartObjects = helm === undefined ? new Map<string, Value>() : byPlace(render(...values));
  // Helm stores the release in the namespace, so the namespace exists before the chart is installed.
  const kustomizeObjects = byPlace(renderFolder(join(k8s, kustomization)).filter(({ kind }) => kind !== "Namespace"));

  test("the chart has exactly the same objects", () => {
    expect([...chartObjects.keys()].toSorted()).toEqual([...kustomizeObjects.keys()].toSorted());
  });

  test.each([...kustomizeObjects])("%s is the same object", (id, object) => {
    expect(chartObjects.get(id)).toEqual(object);
  });
});

function byPlace(objects: readonly Fields[]): ReadonlyMap<string, Value> {
  return new Map(objects.map((object) => [`${textOf(object["kind"])} ${nameOf(object)}`, comparable(object)]));
}

/** Returns an object without irrelevant differences: the namespace, the order of named elements, and the image tag. */
function comparable(value: Value, name = ""): Value {
  if (Array.isArray(value)) {
    const items = value.map((item: Value) => comparable(item));
    const nameIn = (item: Value) => (isFields(item) ? textOf(item["name"]) : "");
    return items.toSorted((one, other) => nameIn(one).localeCompare(nameIn(other)));
  }
  if (name === "image") return textOf(value).replace(new RegExp(`:${version.replaceAll(".", "\\.")}$`), "");
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([member]) => !(name === "metadata" && member === "namespace"))
      .map(([member, memberValue]) => [member, comparable(memberValue, member)]),
  );
}
