import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { builtProgram } from "@modelgate/build";
import { nameOf } from "../render/kustomize.ts";
import { textOf } from "../render/value.ts";
import { at, deployedIn, itemsAt, overlay, overlays, overlaysApart, services, declaredBy } from "./suite.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Variables that gatectl reads in a pod, by container. */
const alsoRead: Readonly<Record<string, readonly string[]>> = { control: ["CONTROL_URL"], gateway: ["CONTROL_URL"] };
const ofNode = ["NODE_EXTRA_CA_CERTS"];

/** Reads from the code the maximum ms of a process after its drain. */
function endMs(): number {
  const bounds = [
    /^export const lastStepsMs = ([\d_]+);/m.exec(read("libs/platform/src/process/process-state.ts")),
    /^const maxCloseMs = ([\d_]+);/m.exec(read("libs/platform/src/log.ts")),
  ];
  return bounds.reduce((sum, found) => sum + Number(found?.[1]?.replace("_", "")), 0);
}

test("every service has its manifests: a row of generate/services.ts, written by generate/main.ts", () => {
  expect(deployedIn(overlay("local")).map(({ name }) => name)).toEqual(expect.arrayContaining([...services]));
});

test("docker compose passes control every variable that the demo's configuration names", () => {
  const compose: { services: Record<string, { environment: Record<string, string> }> } = parse(
    read("docker-compose.yml"),
    { merge: true },
  );
  const references = [...read("deploy/config/demo.yaml").matchAll(/"(?:env:(\w+)|\$\{(\w+)\}[^"]*)"/g)];
  const variables = references.map(([, key, place]) => key ?? place ?? "");
  expect(variables).toContain("OPENAI_API_KEY");
  expect(Object.keys(compose.services["control"]?.environment ?? {})).toEqual(expect.arrayContaining(variables));
});

test("gatectl reads the address of control from CONTROL_URL", () => {
  expect(read("services/control/src/gatectl/server.ts")).toMatch(/read\.optionalUrl\(\s*"CONTROL_URL"/);
});

test("the local NATS has space for every event stream at its maximum size", async () => {
  const [nats] = overlay("local").filter((object) => object["kind"] === "StatefulSet" && nameOf(object) === "nats");
  const size = textOf(at(nats, "spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"));
  const keepBytes = Number((await declaredBy("ledger"))["NATS_KEEP_BYTES"]?.read(undefined));
  // The file system uses a tenth of the volume, and JetStream at most three quarters of the rest.
  expect(Number.parseInt(size, 10) * 1024 ** 3 * 0.9 * 0.75).toBeGreaterThan(3 * keepBytes);
});

describe.each(overlays)("%s", (name) => {
  const objects = overlay(name);

  describe.each(deployedIn(objects))("$name", (deployed) => {
    const { name: service, container, env, fromSecret } = deployed;

    test("every variable is one of the service's, with a valid value", async () => {
      const variables = await declaredBy(service);
      const knownNames = new Set([...Object.keys(variables), ...(alsoRead[service] ?? []), ...ofNode]);
      expect([...env.keys(), ...fromSecret].filter((variable) => !knownNames.has(variable))).toEqual([]);
      for (const [variable, value] of env) expect(() => variables[variable]?.read(value), variable).not.toThrow();
    });

    test("every variable that the service requires is set", async () => {
      const variables = await declaredBy(service);
      const required = Object.values(variables).filter(({ isRequired }) => isRequired);
      expect(required.filter(({ name }) => !env.has(name) && !fromSecret.includes(name))).toEqual([]);
    });

    test("the pod runs the image of docker compose, with the service as its argument", () => {
      const image = service === "simulator" ? service : "gateway";
      expect(textOf(container["image"])).toMatch(new RegExp(`(^|/)modelgate/${image}(:[\\w.-]+)?$`));
      expect(env.get("MODELGATE_SERVICES")).toBe(service === image ? undefined : service);
      const compose: { services: Record<string, { image: string }> } = parse(read("docker-compose.yml"), {
        merge: true,
      });
      expect(compose.services[service]?.image).toBe(`modelgate/${image}`);
    });

    test("ports and probes are where the service listens", () => {
      const first = service === "gateway" ? "edge" : service;
      const prefix = first.toUpperCase();
      const listens = {
        http: env.get(first === "edge" ? "PORT" : `${prefix}_PORT`),
        ops: env.get(`${prefix}_OPS_PORT`),
      };
      const ports = Object.fromEntries(
        itemsAt(container, "ports").map((port) => [port["name"], textOf(port["containerPort"])]),
      );
      expect(ports).toEqual(listens);
      const ops = read("libs/platform/src/ops.ts");
      for (const [probe, path] of [
        ["startupProbe", "/healthz"],
        ["livenessProbe", "/healthz"],
        ["readinessProbe", "/readyz"],
      ] as const) {
        expect(at(container, probe, "httpGet")).toEqual({ path, port: "ops" });
        expect(ops).toContain(`"${path}"`);
      }
    });

    test("the kubelet waits longer than the service's drain", () => {
      const preStop = Number(at(container, "lifecycle", "preStop", "exec", "command", 1));
      const grace = Number(at(deployed.pod, "terminationGracePeriodSeconds"));
      expect(preStop).toBeGreaterThan(0);
      expect(grace * 1_000).toBeGreaterThanOrEqual(preStop * 1_000 + Number(env.get("DRAIN_MS")) + endMs());
    });

    test("a failover of Redis, which takes half a minute, does not make the pod unready", () => {
      const probe = at(container, "readinessProbe");
      expect(Number(at(probe, "periodSeconds")) * Number(at(probe, "failureThreshold"))).toBeGreaterThanOrEqual(30);
    });

    test("the spooled files of a service fit on its disk", () => {
      const [tmp] = itemsAt(deployed.pod, "volumes");
      const room = Number.parseInt(textOf(at(tmp, "emptyDir", "sizeLimit")), 10) * 1024 * 1024;
      expect(room).toBeGreaterThan(Number(env.get("SPOOL_BYTES") ?? 0));
    });

    test("the container runs as the image's user, and can write only to a temporary folder", () => {
      expect(read("deploy/docker/Dockerfile")).toContain("USER node"); // node's images give that user the id 1000
      expect(at(deployed.pod, "securityContext")).toMatchObject({ runAsNonRoot: true, runAsUser: 1_000 });
      expect(container["securityContext"]).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
    });
  });

  test.runIf(overlaysApart.some((each) => each === name))(
    "the edge drains for at least as long as every service behind it",
    () => {
      const deployed = deployedIn(objects);
      const drains = new Map(deployed.map(({ name, env }) => [name, Number(env.get("DRAIN_MS"))]));
      const areas = [...(deployed.find(({ name }) => name === "edge")?.env ?? [])].flatMap(([variable, url]) =>
        variable.endsWith("_URL") ? [new URL(url).hostname] : [],
      );
      expect(areas.length).toBeGreaterThan(3);
      for (const area of areas) expect(drains.get("edge"), area).toBeGreaterThanOrEqual(drains.get(area) ?? Infinity);
    },
  );

  test("the configuration is valid for control, and mounted where control reads it", () => {
    const control = deployedIn(objects).find(({ env }) => env.has("MODELGATE_CONFIG"));
    const [, mount] = itemsAt(control?.container, "volumeMounts");
    const file = String(control?.env.get("MODELGATE_CONFIG")).slice(`${textOf(mount?.["mountPath"])}/`.length);
    const path = `deploy/k8s/overlays/${name}/${file}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram("gatectl"), "config", "check", path], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stderr + stdout).toContain(`${path} is valid.`);
    expect(status).toBe(0);
  });
});
