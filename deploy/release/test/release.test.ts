import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { chart, localRelease } from "../../helm/generate/chart.ts";
import { helm, renderFrom } from "../../helm/test/helm.ts";
import { textOf } from "../../k8s/render/value.ts";
import { at, deployedIn, images } from "../../k8s/test/suite.ts";
import { digestOf, stepsOf, type Step } from "../steps.ts";

const root = join(import.meta.dirname, "../../..");
const { version } = localRelease();
const registry = "registry.example.com/acme";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "modelgate-release-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function release(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, ["deploy/release/main.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
}

const dry = ["--registry", registry, "--tag", `v${version}`, "--dry-run"];

describe("a dry run", () => {
  const { stdout, status } = release(dry);
  const lines = stdout.split("\n");
  const line = (...parts: readonly string[]) => lines.filter((one) => parts.every((part) => one.includes(part)));

  test.each(images)("builds %s for two architectures, signs it and writes its SBOMs", (name) => {
    expect(status).toBe(0);
    const image = `${registry}/modelgate/${name}`;
    expect(
      line("docker buildx build", `--target ${name} `, `--tag ${image}:${version} `, "linux/amd64,linux/arm64"),
    ).toHaveLength(1);
    expect(line("cosign sign --yes", `${image}@${digestOf(name)}`)).toHaveLength(1);
    expect(line("syft scan", `registry:${image}@${digestOf(name)}`, "spdx-json=")).toHaveLength(2);
    expect(line("cosign attest --yes --type spdxjson", `${image}@${digestOf(name)}`)).toHaveLength(2);
  });

  test("packages, pushes and signs the chart after all images", () => {
    const build = lines.findLastIndex((one) => one.startsWith("docker buildx build"));
    const order = ["helm lint", "helm package", "helm push", `cosign sign --yes '${registry}/charts/modelgate@`].map(
      (start) => lines.findIndex((one) => one.startsWith(start)),
    );
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(Math.min(...order)).toBeGreaterThan(build);
  });

  test("runs nothing", () => {
    release([...dry, "--out", join(folder, "dist")], { PATH: folder });
    expect(existsSync(join(folder, "dist"))).toBe(false);
  });
});

test.each([
  ["a tag that is not the version", ["--registry", registry, "--tag", "v99.0.0", "--dry-run"], /the tag must be v/],
  ["no registry", ["--tag", `v${version}`, "--dry-run"], /--registry/],
  ["a registry in upper case", ["--registry", "ghcr.io/Acme", "--tag", `v${version}`, "--dry-run"], /lower case/],
])("%s is refused", (_, words, message) => {
  const { status, stderr } = release(words);
  expect(stderr).toMatch(message);
  expect(status).toBe(1);
});

/** Creates a program that records its name and arguments. */
function program(name: string, script = ""): void {
  const file = join(folder, "bin", name);
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> ${join(folder, "calls")}\n${script}\n`);
  chmodSync(file, 0o755);
}

describe("a release with programs that only record their arguments", () => {
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
  beforeEach(() => {
    mkdirSync(join(folder, "bin"));
    program(
      "docker",
      `while [ "$1" != --metadata-file ]; do shift; done; echo '{"containerimage.digest": "${digest("a")}"}' > "$2"`,
    );
    program("helm", `[ "$1" != push ] || echo 'Digest: ${digest("b")}' >&2`);
    for (const name of ["cosign", "syft", "node"]) program(name);
  });
  const run = () =>
    release(["--registry", registry, "--tag", `v${version}`, "--out", join(folder, "dist")], {
      PATH: `${join(folder, "bin")}:/usr/bin:/bin`,
    });
  const recordedCalls = () => readFileSync(join(folder, "calls"), "utf8").trim().split("\n");

  test("runs every step in its order, and signs the digests that were pushed", () => {
    const { status, stderr } = run();
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const plan = { version, registry, images, folder: join(folder, "dist") };
    expect(recordedCalls()).toHaveLength(stepsOf(plan).length);
    expect(recordedCalls()).toContain(`cosign sign --yes ${registry}/modelgate/gateway@${digest("a")}`);
    expect(recordedCalls().at(-1)).toBe(`cosign sign --yes ${registry}/charts/modelgate@${digest("b")}`);
    expect(recordedCalls().join()).not.toContain("{digest");
  });

  test("ends at the first step that fails", () => {
    program("syft", "exit 3");
    const { status, stderr } = run();
    expect(stderr).toMatch(/^list what is in \w+ \(linux\/amd64\): syft ended with 3\n$/);
    expect(status).toBe(1);
    expect(recordedCalls().at(-1)).toMatch(/^syft/);
  });

  test("ends if a push returns no digest", () => {
    program("helm");
    expect(run().stderr).toBe("push the chart: helm named no digest\n");
  });
});

test.skipIf(helm === undefined)("the chart of a release names the pushed images", () => {
  for (const [file, text] of chart({ version, registry })) {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const steps = stepsOf({ version, registry, images, folder: "dist" });
  const tags = steps.flatMap(({ command }: Step) => command.filter((_, index) => command[index - 1] === "--tag"));
  const deployedImages = deployedIn(renderFrom(folder, "--set", "simulator.enabled=true")).map(({ container }) =>
    textOf(container["image"]),
  );
  expect([...new Set(deployedImages)].toSorted()).toEqual(tags.toSorted());
});

describe("the workflow", () => {
  const text = readFileSync(join(root, ".github/workflows/release.yml"), "utf8");
  const workflow: { readonly jobs: Readonly<Record<string, WorkflowJob>> } = parse(text);
  interface WorkflowJob {
    readonly needs?: string;
    readonly permissions?: Readonly<Record<string, string>>;
    readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
  }

  test("makes the release with this script, after the tests", () => {
    const { release: job, test: before } = workflow.jobs;
    expect(job?.needs).toBe("test");
    expect(before?.steps.map(({ run }) => run)).toContain("npm test");
    expect(job?.steps.some(({ run }) => run?.includes("node deploy/release/main.ts"))).toBe(true);
    expect(job?.steps.some(({ run }) => run === "pnpm audit:packages --required")).toBe(true);
    expect(job?.permissions).toEqual({ contents: "write", packages: "write", "id-token": "write" });
  });

  test("installs every program that the steps run", () => {
    const brought = (workflow.jobs["release"]?.steps ?? []).map(({ uses }) => uses?.split("@")[0] ?? "");
    const bringing: Readonly<Record<string, string>> = {
      docker: "docker/setup-buildx-action",
      cosign: "sigstore/cosign-installer",
      syft: "anchore/sbom-action/download-syft",
      helm: "azure/setup-helm",
      node: "actions/setup-node",
    };
    const programs = new Set(
      stepsOf({ version, registry, images, folder: "dist" }).map(({ command: [first] }) => first),
    );
    for (const name of programs) expect(brought, name).toContain(bringing[name]);
  });

  test("has the same versions of Helm and pnpm as the repository", () => {
    const places = readFileSync(join(root, "deploy/local/bootstrap/places.mjs"), "utf8");
    const [, pinned] = /helm: "([\d.]+)"/.exec(places) ?? [];
    expect([...text.matchAll(/version: v(3[\d.]+)/g)].map(([, one]) => one)).toEqual([pinned, pinned]);
    const { packageManager }: { packageManager: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect(text).toContain(packageManager);
    expect(at(parse(text), "on", "push", "tags")).toEqual(["v*"]);
  });
});
