import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { applyJsonPatch } from "../../k8s/render/json-patch.ts";
import { nameOf } from "../../k8s/render/kustomize.ts";
import { isFields, textOf, type Fields, type Value } from "../../k8s/render/value.ts";
import { podTemplatesIn, refusedByRestricted } from "../../k8s/test/restricted.ts";
import { problemsOf } from "../../k8s/test/schema.ts";
import { at, deployedIn, itemsAt, declaredBy } from "../../k8s/test/suite.ts";
import { knownMetrics } from "../../monitoring/test/known-metrics.ts";
import { selectorsIn } from "../../monitoring/test/queries.ts";
import { example, examples, folder, helm, render, renderNotes, runHelm } from "./helm.ts";

let metrics: Awaited<ReturnType<typeof knownMetrics>>;
beforeAll(async () => {
  metrics = await knownMetrics();
});

const idOf = (object: Fields): string => `${textOf(object["kind"])} ${nameOf(object)}`;
const rendered = [["default", []], ...examples.map((name) => [name, example(name)] as const)] as const;

describe.skipIf(helm === undefined).each(rendered)("%s", (name, values) => {
  const objects = helm === undefined ? [] : render(...values);
  const ofKind = (kind: string) => objects.filter((object) => object["kind"] === kind);

  test("helm lint finds nothing", () => {
    const { status, stdout } = runHelm("lint", "--strict", folder, ...values);
    expect(stdout).not.toMatch(/\[(WARNING|ERROR)\]/);
    expect(status).toBe(0);
  });

  test("each object appears once", () => {
    const places = objects.map(idOf);
    expect(places.length).toBeGreaterThanOrEqual(40);
    expect(new Set(places).size).toBe(places.length);
  });

  test.each(objects.map((object) => [idOf(object), object] as const))("%s is valid against its schema", (_, object) => {
    expect(problemsOf(object)).toEqual([]);
  });

  test.each(podTemplatesIn(objects))("pods of %s pass PodSecurity `restricted`", (_, pod) => {
    expect(refusedByRestricted(pod)).toEqual([]);
  });

  test.each(deployedIn(objects))(
    "$name's variables are its service's, each once and with a valid value",
    async (deployed) => {
      const declared = await declaredBy(deployed.name);
      const names = itemsAt(deployed.container, "env").map((one) => textOf(one["name"]));
      expect(new Set(names).size).toBe(names.length);
      // Read by gatectl, by Node, and by the ledger if it has books.
      const namesReadElsewhere = ["CONTROL_URL", "NODE_EXTRA_CA_CERTS", "BOOKS_URL"];
      expect(names.filter((one) => !(one in declared) && !namesReadElsewhere.includes(one))).toEqual([]);
      for (const [variable, value] of deployed.env)
        expect(() => declared[variable]?.read(value), variable).not.toThrow();
    },
  );

  test("autoscalers refer to existing Deployments, and are all of one kind", () => {
    const scalers = [...ofKind("HorizontalPodAutoscaler"), ...ofKind("ScaledObject")];
    const targets = scalers.map((scaler) => textOf(at(scaler, "spec", "scaleTargetRef", "name")));
    const deployments = ofKind("Deployment").map(nameOf);
    expect(targets.toSorted()).toEqual(name === "existing-secrets" ? [] : deployments.toSorted());
  });

  test("autoscalers use only metrics that are served", () => {
    const used = ofKind("HorizontalPodAutoscaler").flatMap((scaler) => itemsAt(scaler, "spec", "metrics"));
    const resources = used.filter(({ type }) => type === "Resource");
    for (const metric of resources) expect(at(metric, "resource", "name")).toBe("cpu");
    for (const { container } of deployedIn(objects))
      expect(at(container, "resources", "requests", "cpu")).toBeDefined();
    const otherMetrics = used.filter((metric) => !resources.includes(metric));
    // Other metrics need an adapter, which the values must enable.
    if (name !== "ingress") expect(otherMetrics).toEqual([]);
    for (const metric of otherMetrics) expect(metrics.has(textOf(at(metric, "pods", "metric", "name")))).toBe(true);
  });

  test("KEDA asks Prometheus for metrics of the service that it scales", () => {
    for (const scaler of ofKind("ScaledObject"))
      for (const trigger of itemsAt(scaler, "spec", "triggers").filter(({ type }) => type === "prometheus")) {
        const query = textOf(at(trigger, "metadata", "query"));
        expect(query).toContain(`{service="${nameOf(scaler)}"}`);
        for (const { metric } of selectorsIn(query)) expect([...metrics.keys()]).toContain(metric);
      }
  });

  test("services, budgets, network policies and monitors select existing pods", () => {
    const pods = objects.map((object) => at(object, "spec", "template", "metadata", "labels")).filter(isFields);
    const selectors = objects.flatMap((object) =>
      [
        ["spec", "selector"],
        ["spec", "podSelector", "matchLabels"],
        ["spec", "endpointSelector", "matchLabels"],
      ]
        .map((path) => at(object, ...path))
        .filter(isFields)
        .map((selector) => selector["matchLabels"] ?? selector)
        .filter(isFields),
    );
    expect(selectors.length).toBeGreaterThan(objects.length / 3);
    for (const selector of selectors) {
      const found = pods.filter((labels) =>
        Object.entries(selector).every(([label, value]) => labels[label] === value),
      );
      expect(found, JSON.stringify(selector)).not.toEqual([]);
    }
  });

  test("secrets are referred to and never included", () => {
    expect(ofKind("Secret")).toEqual([]);
  });
});

describe.skipIf(helm === undefined)("monitoring", () => {
  const objects = helm === undefined ? [] : render(...example("monitoring"));
  const one = (id: string) => objects.find((object) => idOf(object) === id);
  const read = (file: string): string => readFileSync(join(folder, "../../monitoring", file), "utf8");

  test("the PrometheusRule has the rules of deploy/monitoring", () => {
    expect(at(one("PrometheusRule modelgate"), "spec")).toEqual(parse(read("rules.yaml")));
    expect(at(one("PrometheusRule modelgate"), "metadata", "labels")).toEqual({ release: "prometheus" });
  });

  test.each(["calls", "parts"])("the ConfigMap of the dashboard %s contains it unchanged", (name) => {
    const map = one(`ConfigMap modelgate-dashboard-${name}`);
    expect(`${textOf(at(map, "data", `${name}.json`))}\n`).toBe(read(`dashboards/${name}.json`));
    expect(at(map, "metadata", "labels")).toEqual({ grafana_dashboard: "1" });
  });

  test("every pod lets a namespace with exactly the given labels scrape it", () => {
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    const namespaces = policies.map((policy) =>
      itemsAt(policy, "spec", "ingress")
        .flatMap((rule) => itemsAt(rule, "from"))
        .flatMap(({ namespaceSelector }) => namespaceSelector ?? []),
    );
    expect(namespaces.length).toBeGreaterThan(0);
    for (const selectors of namespaces)
      expect(selectors).toEqual([{ matchLabels: { "kubernetes.io/metadata.name": "monitoring" } }]);
  });

  test("the PodMonitor scrapes the port of every pod, with the labels that the rules use", () => {
    const [endpoint = {}] = itemsAt(one("PodMonitor modelgate"), "spec", "podMetricsEndpoints");
    expect(endpoint).toMatchObject({ port: "ops", honorLabels: true });
    const targets = itemsAt(endpoint, "relabelings").map(({ targetLabel, replacement }) => [targetLabel, replacement]);
    expect(targets).toEqual([
      ["job", "modelgate"],
      ["service", undefined],
    ]);
    for (const { container } of deployedIn(objects))
      expect(itemsAt(container, "ports").map((port) => port["name"])).toContain("ops");
  });

  test.each([
    ["monitoring", "PodMonitor modelgate", "/spec/podMetricsEndpoints/0/intervall"],
    ["keda", "ScaledObject text", "/spec/minReplicas"],
    ["cilium", "CiliumNetworkPolicy text-vendors", "/spec/egress/1/toFQDN"],
  ])("with %s, an unknown member of %s is found", (values, id, path) => {
    const object = render(...example(values)).find((each) => idOf(each) === id) ?? {};
    expect(problemsOf(applyJsonPatch(object, [{ op: "add", path, value: "1" }])).join()).toContain(path);
  });
});

describe.skipIf(helm === undefined)("values", () => {
  const one = (kind: string, name: string, ...words: readonly string[]): Value | undefined =>
    render(...words).find((object) => idOf(object) === `${kind} ${name}`);
  const variable = (deployment: Value | undefined, name: string) =>
    itemsAt(deployment, "spec", "template", "spec", "containers", 0, "env").find((each) => each["name"] === name);

  test.each([
    ["a misspelt name", "replicaz=3", /replicaz/],
    ["a misspelt name of a service's", "services.text.replica.min=3", /replica/],
    ["a wrong type", "services.text.replicas.min=three", /min/],
    ["too few replicas", "services.text.replicas.min=0", /min/],
    ["an unknown kind of autoscaler", "autoscaling.kind=vpa", /kind/],
    ["a variable that the template sets", "services.text.env.DRAIN_MS=1", /env/],
    ["Cilium without a name", "networkPolicy.cilium.enabled=true", /names/],
  ])("%s is refused", (_, setting, names) => {
    expect(() => render("--set", setting)).toThrow(names);
  });

  test("the kubelet and the autoscaler wait for the complete drain", () => {
    const settings = ["--set", "services.text.drainSeconds=120"];
    const text = one("Deployment", "text", ...settings);
    expect(variable(text, "DRAIN_MS")).toMatchObject({ value: "120000" });
    expect(at(text, "spec", "template", "spec", "terminationGracePeriodSeconds")).toBe(140);
    const scaler = one("HorizontalPodAutoscaler", "text", ...settings);
    expect(at(scaler, "spec", "behavior", "scaleDown", "policies", 0, "periodSeconds")).toBe(120);
  });

  test("an image is the configured one, or the registry's with the tag", () => {
    const image = (...words: readonly string[]) =>
      at(one("Deployment", "text", ...words), "spec", "template", "spec", "containers", 0, "image");
    expect(image("--set", "image.registry=r.example,image.tag=v7")).toBe("r.example/modelgate/gateway:v7");
    expect(image("--set", "services.text.image=r.example/x@sha256:0")).toBe("r.example/x@sha256:0");
  });

  test("secrets of several owners are set as variables, and the one of a rotation may be absent", () => {
    const text = one("Deployment", "text", ...example("existing-secrets"));
    const secret = (name: string) => at(variable(text, name), "valueFrom", "secretKeyRef");
    expect(secret("REDIS_URL")).toEqual({ name: "redis-credentials", key: "uri" });
    expect(secret("MODELGATE_SECRET")).toEqual({ name: "gateway-signing", key: "current" });
    expect(secret("MODELGATE_SECRET_BEFORE")).toEqual({ name: "gateway-signing", key: "before", optional: true });
    expect(at(text, "spec", "replicas")).toBe(6);
  });

  test.each(["bundled", "existing-secrets"])("%s: the printed commands create every Secret of the pods", (name) => {
    const pods = render(...example(name)).map((object) => JSON.stringify(object));
    const needed = pods.flatMap((pod) => [...pod.matchAll(/"secretKeyRef":\{"name":"([\w-]+)","key":"(\w+)"\}/g)]);
    expect(needed.length).toBeGreaterThan(20);
    const commands = renderNotes(...example(name)).split("kubectl ");
    for (const [, secret, key] of needed) {
      const command = commands.find((text) => text.includes(`create secret generic ${secret} `));
      expect(command, `${secret} ${key}`).toContain(` --from-literal=${key}=`);
    }
  });

  test.each([
    ["without a proxy", [], undefined],
    ["with an Ingress", ["--set", "ingress.enabled=true"], "1"],
    ["with a Gateway", ["--set", "gateway.enabled=true"], "1"],
    [
      "with another proxy before it",
      ["--set", "ingress.enabled=true", "--set-string", "services.edge.env.PROXIES=2"],
      "2",
    ],
  ])("%s, the edge knows the number of proxies", (_, values, proxies) => {
    expect(variable(one("Deployment", "edge", ...values), "PROXIES")?.["value"]).toBe(proxies);
  });

  test.each([
    ["is the file", [], "MODELGATE_CONFIG", "MODELGATE_SEED"],
    ["is stored in the books, and begins with the file", example("bundled"), "MODELGATE_SEED", "MODELGATE_CONFIG"],
  ])("the configuration %s", (_, values, present, absent) => {
    const control = one("Deployment", "control", ...values);
    expect(variable(control, present)).toMatchObject({ value: "/config/modelgate.yaml" });
    expect(variable(control, absent)).toBeUndefined();
  });

  test("only the named pods may reach the console", () => {
    const ingressOf = (values: readonly string[]) =>
      itemsAt(one("NetworkPolicy", "control", ...values), "spec", "ingress").filter(
        (rule) => itemsAt(rule, "ports")[0]?.["port"] === 8_080,
      );
    expect(ingressOf([])).toEqual([]);
    expect(ingressOf(example("existing-secrets"))).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
        ports: [{ protocol: "TCP", port: 8_080 }],
      },
    ]);
  });

  test("only the ledger stores the books, and may reach PostgreSQL", () => {
    const objects = render(...example("bundled"));
    const readers = deployedIn(objects).filter(({ fromSecret }) => fromSecret.includes("BOOKS_URL"));
    expect(readers.map(({ name }) => name)).toEqual(["ledger"]);
    const reaching = objects.filter(
      (object) =>
        object["kind"] === "NetworkPolicy" && JSON.stringify(at(object, "spec", "egress") ?? []).includes("5432"),
    );
    expect(reaching.map(nameOf)).toEqual(["ledger"]);
    const [server] = itemsAt(
      objects.find((object) => idOf(object) === "Service postgres"),
      "spec",
      "ports",
    );
    expect(server?.["port"]).toBe(5_432);
  });

  test("with Cilium vendors are allowed by name, and no policy has an address", () => {
    const objects = render(...example("cilium"));
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    expect(JSON.stringify(policies)).not.toContain("ipBlock");
    const byName = objects.filter(({ kind }) => kind === "CiliumNetworkPolicy");
    const callers = policies.filter(
      (policy) =>
        isFields(at(policy, "metadata", "labels")) &&
        // The ledger calls the targets of alerts.
        (at(policy, "metadata", "labels", "modelgate.io/calls-vendors") === "true" || nameOf(policy) === "ledger"),
    );
    expect(byName.map(nameOf)).toEqual(callers.map((policy) => `${nameOf(policy)}-vendors`));
    for (const policy of byName) {
      expect(itemsAt(policy, "spec", "egress", 1, "toFQDNs")).toContainEqual({ matchPattern: "api.openai.com" });
      const [vendors] = itemsAt(policy, "spec", "egress", 1, "toPorts");
      const ports = nameOf(policy) === "ledger-vendors" ? ["443", "465", "587"] : ["443"];
      expect(itemsAt(vendors, "ports")).toEqual(ports.map((port) => ({ port, protocol: "TCP" })));
    }
  });
});
