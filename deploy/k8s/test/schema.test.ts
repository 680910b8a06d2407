import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyJsonPatch, type PatchStep } from "../render/json-patch.ts";
import { nameOf, renderFolder } from "../render/kustomize.ts";
import { textOf } from "../render/value.ts";
import { problemsOf } from "./schema.ts";

const folder = join(import.meta.dirname, "..");
// The last folder has the components that no overlay uses.
const places = ["base", "overlays/local", "overlays/production", "overlays/small", "../helm/test/ingress"];

describe.each(places)("%s", (place) => {
  test.each(
    renderFolder(join(folder, place)).map((object) => [`${textOf(object["kind"])} ${nameOf(object)}`, object] as const),
  )("%s is valid against the schema of Kubernetes", (_, object) => expect(problemsOf(object)).toEqual([]));
});

const deployment = renderFolder(join(folder, "base")).find(({ kind }) => kind === "Deployment") ?? {};
const container = "/spec/template/spec/containers/0";

test.each<[string, PatchStep, RegExp]>([
  ["a wrong type", { op: "replace", path: "/spec/revisionHistoryLimit", value: "five" }, /revisionHistoryLimit/],
  ["a missing member", { op: "remove", path: "/spec/selector" }, /selector/],
  ["a misspelt member", { op: "add", path: `${container}/readynessProbe`, value: {} }, /readynessProbe/],
  ["a misspelt member at the top", { op: "add", path: "/specs", value: {} }, /specs/],
  ["an invalid value", { op: "replace", path: `${container}/ports/0/containerPort`, value: "http" }, /containerPort/],
  ["an unknown kind", { op: "replace", path: "/kind", value: "Deploiment" }, /Deploiment/],
])("%s is found", (_, step, message) => {
  expect(problemsOf(applyJsonPatch(deployment, [step])).join("\n")).toMatch(message);
});
