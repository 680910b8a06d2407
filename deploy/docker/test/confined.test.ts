import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { gateway, rows, simulator } from "../../k8s/generate/services.ts";
import { renderFolder } from "../../k8s/render/kustomize.ts";
import { at, itemsAt } from "../../k8s/test/suite.ts";

/** What docker-compose.yml says of one container, as far as these tests ask. */
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

/** The image that is taken where no variable names another. */
const imageOf = ({ image }: ComposeService): string => /^\$\{\w+:-(.*)\}$/.exec(image)?.[1] ?? image;

/** Bytes of a size as compose (`512m`) or Kubernetes (`512Mi`) writes it. */
function bytesOf(size: string): number {
  const [, number = "", unit = ""] = /^(\d+)([mg])i?$/i.exec(size) ?? [];
  return Number(number) * 1024 ** (unit.toLowerCase() === "g" ? 3 : 2);
}

describe.each(Object.entries(compose.services))("compose's %s", (name, service) => {
  test("can write nowhere but where it must, and has no right beyond an ordinary process's", () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(service.cap_add ?? []).toEqual([]);
    expect(service.privileged ?? false).toBe(false);
  });

  test("has bounds of memory and processes", () => {
    expect(bytesOf(service.mem_limit ?? "")).toBeGreaterThan(0);
    expect(service.pids_limit).toBeGreaterThan(0);
  });

  test("is built here on the pinned base, or its image is pinned by digest", () => {
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
  "compose gives $name the memory that its pod has, and buffers that fit in it",
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

test("the local overlay runs the same Redis, NATS and PostgreSQL as compose", () => {
  const stores = renderFolder(join(root, "deploy/k8s/overlays/local"))
    .filter(({ kind }) => kind === "StatefulSet")
    .flatMap((object) => itemsAt(object, "spec", "template", "spec", "containers"))
    .map((container) => [at(container, "name"), at(container, "image")]);
  const ofCompose = ["nats", "postgres", "redis"].map((name) => {
    const service = compose.services[name];
    return [name, service === undefined ? undefined : imageOf(service)];
  });
  expect(stores.toSorted()).toEqual(ofCompose);
});
