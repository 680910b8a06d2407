import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { gateway, rows, simulator } from "../../k8s/generate/services.ts";
import { renderFolder } from "../../k8s/render/kustomize.ts";
import { at, itemsAt } from "../../k8s/test/suite.ts";

/** Members of a compose service. */
interface ComposeService {
  readonly image: string;
  readonly build?: { readonly target: string; readonly args: Readonly<Record<string, string>> };
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly command?: string;
  readonly privileged?: boolean;
}

const root = join(import.meta.dirname, "../../..");
const compose: { readonly services: Readonly<Record<string, ComposeService>> } = parse(
  readFileSync(join(root, "docker-compose.yml"), "utf8"),
  { merge: true },
);
const dockerfile = readFileSync(join(root, "deploy/docker/Dockerfile"), "utf8");
const baseImage = /^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile)?.[1];
const pinned = /^[a-z][\w./-]*:[\w.-]+@sha256:[0-9a-f]{64}$/;

const imageOf = ({ image }: ComposeService): string => /^\$\{\w+:-(.*)\}$/.exec(image)?.[1] ?? image;

/** Converts a size of compose (`512m`) or Kubernetes (`512Mi`) to bytes. */
function bytesOf(size: string): number {
  const [, number = "", unit = ""] = /^(\d+)([mg])i?$/i.exec(size) ?? [];
  return Number(number) * 1024 ** (unit.toLowerCase() === "g" ? 3 : 2);
}

describe.each(Object.entries(compose.services))("compose's %s", (name, service) => {
  test("can write only where it must, and has no additional privileges", () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(service.cap_add ?? []).toEqual([]);
    expect(service.privileged ?? false).toBe(false);
  });

  test("has limits of memory and processes", () => {
    expect(bytesOf(service.mem_limit ?? "")).toBeGreaterThan(0);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  test("is built here on the pinned base image, or has an image pinned by digest", () => {
    if (service.build === undefined) {
      expect(imageOf(service)).toMatch(pinned);
      return;
    }
    const target = name === "simulator" ? name : "gateway";
    expect(service.image).toBe(`modelgate/${target}`);
    expect(service.build.target).toBe(target);
    expect(service.build.args).toEqual({ NODE_IMAGE: `\${NODE_IMAGE:-${baseImage}}` });
    expect(dockerfile).toContain(` AS ${target}\n`);
  });
});

test.each([...rows, gateway, simulator])(
  "compose gives $name the memory of its pod, and buffers that fit in it",
  (row) => {
    const service = compose.services[row.name];
    expect(bytesOf(service?.mem_limit ?? "")).toBe(bytesOf(row.resources.memoryLimit));
    const { CONTROL_URL: _url, LEDGER_URL: _ledger, MODELGATE_CONFIG: _path, ...bounds } = row.env ?? {};
    expect(service?.environment).toMatchObject(bounds);
  },
);

test("the Dockerfile builds on one base image, pinned by digest", () => {
  expect(baseImage).toMatch(pinned);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\S+)/gm)].map(([, name]) => name));
  expect(new Set(bases.filter((base) => !stages.has(base)))).toEqual(new Set(["${NODE_IMAGE}"]));
});

const storeNames = ["nats", "postgres", "redis", "redis-content"];

/** Returns a server's arguments in compose and in the local overlay. */
function argumentsOf(name: string): readonly (readonly string[])[] {
  const command = (compose.services[name]?.command ?? "").replaceAll(/\$\{\w+:-([^}]*)\}/g, "PASSWORD");
  const pod = renderFolder(join(root, "deploy/k8s/overlays/local"))
    .filter(({ kind }) => kind === "StatefulSet")
    .flatMap((object) => itemsAt(object, "spec", "template", "spec", "containers"))
    .find((container) => at(container, "name") === name);
  const args = at(pod, "args");
  const ofPod = (Array.isArray(args) ? args : []).map((word) => String(word).replace(/^\$\(\w+\)$/, "PASSWORD"));
  return [command.split(" ").map((word) => (word === '""' ? "" : word.replaceAll('"', ""))), ofPod];
}

test.each(["nats", "redis"])(
  "%s has a password in compose and in the local overlay, and the same arguments",
  (name) => {
    const [ofCompose = [], ofPod = []] = argumentsOf(name);
    expect(ofCompose).toContain("PASSWORD");
    expect(ofPod).toEqual(ofCompose);
  },
);

test.each([
  ["redis", "noeviction"],
  ["redis-content", "volatile-lru"],
])("%s has a data limit below its container's memory, and is %s when that is full", (name, policy) => {
  const limit = bytesOf(compose.services[name]?.mem_limit ?? "");
  for (const args of argumentsOf(name)) {
    expect(args[args.indexOf("--maxmemory-policy") + 1]).toBe(policy);
    const bytes = bytesOf((args[args.indexOf("--maxmemory") + 1] ?? "").replace("mb", "m"));
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(limit * 0.7);
  }
});

test("services get store addresses with passwords, services that store content also that of its Redis, and the simulator gets none", () => {
  const variables = (name: string) => compose.services[name]?.environment ?? {};
  for (const { name } of rows) {
    expect(variables(name)["REDIS_URL"]).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:-[\w-]+\}@redis:6379$/);
    expect(variables(name)["NATS_URL"]).toMatch(/^nats:\/\/modelgate:\$\{NATS_PASSWORD:-[\w-]+\}@nats:4222$/);
  }
  const keepers = Object.keys(compose.services).filter((name) => "CONTENT_REDIS_URL" in variables(name));
  const ofCluster = [...rows, gateway].filter(({ secrets }) => secrets.includes("CONTENT_REDIS_URL"));
  expect(keepers.toSorted()).toEqual(ofCluster.map(({ name }) => name).toSorted());
  expect(Object.keys(variables("simulator")).toSorted()).toEqual(["LOG_LEVEL", "SIMULATOR_OPS_PORT", "SIMULATOR_PORT"]);
  expect(JSON.stringify(variables("postgres"))).toContain("POSTGRES_PASSWORD");
  expect(JSON.stringify(compose)).not.toContain("trust");
  for (const name of ["control", "gateway"])
    expect(Object.keys(variables(name))).toEqual(expect.arrayContaining(["CONFIG_VARIABLES", "CONFIG_KEYS_FOLDER"]));
});

test("the local overlay runs the same Redis, NATS and PostgreSQL as compose", () => {
  const stores = renderFolder(join(root, "deploy/k8s/overlays/local"))
    .filter(({ kind }) => kind === "StatefulSet")
    .flatMap((object) => itemsAt(object, "spec", "template", "spec", "containers"))
    .map((container) => [at(container, "name"), at(container, "image")]);
  const ofCompose = storeNames.map((name) => {
    const service = compose.services[name];
    return [name, service === undefined ? undefined : imageOf(service)];
  });
  expect(stores.toSorted()).toEqual(ofCompose);
});
