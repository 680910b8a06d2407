import { describe, expect, test } from "vitest";
import { applyJsonPatch, type PatchStep } from "../render/json-patch.ts";
import { isFields } from "../render/value.ts";
import { podTemplatesIn, refusedByRestricted } from "./restricted.ts";
import { overlay, overlays } from "./suite.ts";

describe.each(overlays)("%s", (name) => {
  test.each(podTemplatesIn(overlay(name)))("pods of %s pass PodSecurity `restricted`", (_, pod) => {
    expect(refusedByRestricted(pod)).toEqual([]);
  });
});

const [[, pod] = ["", {}]] = podTemplatesIn(overlay("production"));

test.each<[string, PatchStep]>([
  ["hostNetwork", { op: "add", path: "/hostNetwork", value: true }],
  ["volume of kind hostPath", { op: "add", path: "/volumes/-", value: { name: "x", hostPath: { path: "/" } } }],
  ["runAsNonRoot", { op: "remove", path: "/securityContext/runAsNonRoot" }],
  ["runAsUser 0", { op: "add", path: "/containers/0/securityContext/runAsUser", value: 0 }],
  ["seccompProfile", { op: "remove", path: "/securityContext/seccompProfile" }],
  ["privileged", { op: "add", path: "/containers/0/securityContext/privileged", value: true }],
  ["allowPrivilegeEscalation", { op: "remove", path: "/containers/0/securityContext/allowPrivilegeEscalation" }],
  ["capabilities are not dropped", { op: "remove", path: "/containers/0/securityContext/capabilities" }],
  [
    "capabilities are added",
    { op: "add", path: "/containers/0/securityContext/capabilities/add", value: ["SYS_ADMIN"] },
  ],
  ["hostPort", { op: "add", path: "/containers/0/ports/0/hostPort", value: 8_080 }],
])("%s is found", (problem, step) => {
  expect(refusedByRestricted(applyJsonPatch(isFields(pod) ? pod : {}, [step])).join()).toContain(problem);
});
