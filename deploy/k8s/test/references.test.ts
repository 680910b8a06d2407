import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf, renderFolder } from "../render/kustomize.ts";
import { isFields, textOf, type Fields, type Value } from "../render/value.ts";
import { at, deployedIn, itemsAt, overlay, overlays } from "./suite.ts";

/** Tests of names and selectors by which objects refer to each other, because no schema checks them. */

/** Ingress, which no overlay contains. */
const ingress = renderFolder(join(import.meta.dirname, "../../helm/test/ingress")).filter(
  ({ kind }) => kind === "Ingress",
);

describe.each([
  ...overlays.map((name) => [name, overlay(name)] as const),
  ["production by Ingress", [...overlay("production"), ...ingress]] as const,
])("%s", (_, objects) => {
  const named = (kind: string, name: Value | undefined) =>
    objects.find((object) => object["kind"] === kind && nameOf(object) === name);
  const ofKind = (...kinds: readonly string[]) => objects.filter(({ kind }) => kinds.includes(textOf(kind)));
  const podsOf = (selector: Value | undefined) =>
    ofKind("Deployment", "StatefulSet").filter((object) =>
      selects(selector, at(object, "spec", "template", "metadata", "labels")),
    );

  test.each(ofKind("Service").map((service) => [nameOf(service), service] as const))(
    "service %s selects pods of one kind, and their ports",
    (_, service) => {
      const found = podsOf(at(service, "spec", "selector"));
      expect(found).toHaveLength(1);
      const ports = itemsAt(found[0], "spec", "template", "spec", "containers", 0, "ports").map((port) => port["name"]);
      for (const port of itemsAt(service, "spec", "ports")) expect(ports).toContain(port["targetPort"]);
    },
  );

  test("autoscaling, disruption and network rules select existing pods", () => {
    for (const scaler of ofKind("HorizontalPodAutoscaler"))
      expect(named("Deployment", at(scaler, "spec", "scaleTargetRef", "name"))).toBeDefined();
    for (const budget of ofKind("PodDisruptionBudget"))
      expect(podsOf(at(budget, "spec", "selector", "matchLabels"))).toHaveLength(1);
    for (const policy of ofKind("NetworkPolicy"))
      expect(podsOf(at(policy, "spec", "podSelector", "matchLabels"))).toHaveLength(1);
  });

  test.each(deployedIn(objects))(
    "$name has one object of each kind, a service account, and existing volumes",
    ({ name, object, pod, container }) => {
      for (const kind of [
        "Service",
        "HorizontalPodAutoscaler",
        "PodDisruptionBudget",
        "NetworkPolicy",
        "ServiceAccount",
      ])
        expect(named(kind, name), kind).toBeDefined();
      expect(named("ServiceAccount", at(pod, "serviceAccountName"))).toBeDefined();
      const labels = at(object, "spec", "template", "metadata", "labels");
      expect(selects(at(object, "spec", "selector", "matchLabels"), labels)).toBe(true);
      for (const spread of itemsAt(pod, "topologySpreadConstraints"))
        expect(selects(at(spread, "labelSelector", "matchLabels"), labels)).toBe(true);
      const volumes = itemsAt(pod, "volumes");
      for (const mount of itemsAt(container, "volumeMounts"))
        expect(volumes.map((volume) => volume["name"])).toContain(mount["name"]);
      for (const volume of volumes)
        if (isFields(volume["configMap"])) expect(named("ConfigMap", volume["configMap"]["name"])).toBeDefined();
    },
  );

  const edge = deployedIn(objects).find(({ name }) => name === "edge");
  test.skipIf(edge === undefined)("the edge's addresses are services that accept it and that it may reach", () => {
    const addresses = [...(edge?.env ?? [])].filter(([variable]) => variable.endsWith("_URL"));
    expect(addresses.length).toBeGreaterThan(0);
    const edgeLabels = at(edge?.object, "spec", "template", "metadata", "labels");
    for (const [, address] of addresses) {
      const { hostname, port } = new URL(address);
      const service = named("Service", hostname);
      expect(itemsAt(service, "spec", "ports").map((one) => textOf(one["port"]))).toContain(port);
      const ingress = itemsAt(named("NetworkPolicy", hostname), "spec", "ingress");
      expect(ingress.some((rule) => selectsPeer(rule, "from", edgeLabels))).toBe(true);
      const egress = itemsAt(named("NetworkPolicy", "edge"), "spec", "egress");
      expect(egress.some((rule) => selectsPeer(rule, "to", at(service, "spec", "selector")))).toBe(true);
    }
  });

  test("the Ingress and the Gateway route to the edge's port", () => {
    const routes = [
      ...ofKind("HTTPRoute").flatMap((route) => itemsAt(route, "spec", "rules", 0, "backendRefs")),
      ...ofKind("Ingress").flatMap((ingress) =>
        itemsAt(ingress, "spec", "rules", 0, "http", "paths").flatMap((path) =>
          itemsAt([at(path, "backend", "service") ?? null]),
        ),
      ),
    ];
    for (const route of routes) {
      const port = at(route, "port", "name") ?? route["port"] ?? null;
      const ports = itemsAt(named("Service", route["name"]), "spec", "ports").flatMap((one) => [
        one["name"],
        one["port"],
      ]);
      expect(ports).toContain(port);
    }
    for (const route of ofKind("HTTPRoute"))
      expect(named("Gateway", at(route, "spec", "parentRefs", 0, "name"))).toBeDefined();
  });

  test("videos have the public address of the Ingress or Gateway", () => {
    const hosts = [
      ...ofKind("HTTPRoute").flatMap((route) => at(route, "spec", "hostnames", 0) ?? []),
      ...ofKind("Ingress").flatMap((ingress) => at(ingress, "spec", "rules", 0, "host") ?? []),
    ];
    const video = deployedIn(objects).find(({ name }) => name === "video");
    for (const host of hosts) expect(video?.env.get("PUBLIC_URL")).toBe(`https://${textOf(host)}`);
  });

  test("secrets are referred to and never included", () => {
    expect(ofKind("Secret")).toEqual([]);
    // Removes names of variables and keys, and references to variables.
    const written = JSON.stringify(objects.filter(({ kind }) => kind !== "ConfigMap"))
      .replaceAll(/"(?:name|key)":"[A-Z_]+"/g, "")
      .replaceAll(/\$\([A-Z_]+\)/g, "");
    expect(written).not.toMatch(/sk-|password/i);
  });
});

/** Returns whether a pod has all labels of a selector. */
function selects(selector: Value | undefined, labels: Value | undefined): boolean {
  if (!isFields(selector) || !isFields(labels)) return false;
  return Object.entries(selector).every(([label, value]) => labels[label] === value);
}

/** Returns whether a rule of a network policy selects pods with these labels. */
function selectsPeer(rule: Fields, side: "from" | "to", labels: Value | undefined): boolean {
  return itemsAt(rule, side).some((peer) => selects(at(peer, "podSelector", "matchLabels"), labels));
}
