import { join } from "node:path";

/** Content of a release. */
export interface Plan {
  readonly version: string;
  /** Registry and path for images and the chart, such as `ghcr.io/acme`. */
  readonly registry: string;
  /** Names of the images, which are stages of the Dockerfile. */
  readonly images: readonly string[];
  /** Folder for SBOMs, the packaged chart, and digests. */
  readonly folder: string;
}

/** One command of a release. */
export interface Step {
  readonly what: string;
  readonly command: readonly [program: string, ...words: readonly string[]];
  /** Name of the pushed object. Its digest is in buildx's file `metadata`, or in the output. */
  readonly pushes?: { readonly name: string; readonly metadata?: string };
}

const platforms = ["linux/amd64", "linux/arm64"] as const;
const chartName = "modelgate";

/** Returns a placeholder for the digest of an earlier step. */
export function digestOf(name: string): string {
  return `{digest of ${name}}`;
}

/**
 * Returns the steps in order: all images, then the chart. Signatures are keyless (cosign), and sign digests, never
 * tags.
 */
export function stepsOf(plan: Plan): readonly Step[] {
  return [...plan.images.flatMap((image) => imageSteps(plan, image)), ...chartSteps(plan)];
}

function imageSteps({ version, registry, folder }: Plan, name: string): readonly Step[] {
  const image = `${registry}/modelgate/${name}`;
  const pushed = `${image}@${digestOf(name)}`;
  const metadata = join(folder, "digests", `${name}.json`);
  const sbom = (platform: string) => join(folder, "sbom", `${name}-${platform.replace("/", "-")}.spdx.json`);
  return [
    {
      what: `build and push ${name}`,
      command: [
        "docker",
        "buildx",
        "build",
        "--provenance=mode=max",
        "--platform",
        platforms.join(","),
        "--file",
        "deploy/docker/Dockerfile",
        "--target",
        name,
        "--label",
        `org.opencontainers.image.version=${version}`,
        "--tag",
        `${image}:${version}`,
        "--metadata-file",
        metadata,
        "--push",
        ".",
      ],
      pushes: { name, metadata },
    },
    sign(name, pushed),
    ...platforms.flatMap((platform): readonly Step[] => [
      {
        what: `list what is in ${name} (${platform})`,
        command: ["syft", "scan", `registry:${pushed}`, "--platform", platform, "-o", `spdx-json=${sbom(platform)}`],
      },
      {
        what: `attest the SBOM of ${name} (${platform})`,
        command: ["cosign", "attest", "--yes", "--type", "spdxjson", "--predicate", sbom(platform), pushed],
      },
    ]),
  ];
}

function chartSteps({ version, registry, folder }: Plan): readonly Step[] {
  const source = join(folder, "chart", chartName);
  return [
    {
      what: "write the chart with this version and registry",
      command: ["node", "deploy/helm/generate/main.ts", "--version", version, "--registry", registry, "--out", source],
    },
    { what: "check the chart", command: ["helm", "lint", "--strict", source] },
    { what: "package the chart", command: ["helm", "package", source, "--destination", folder] },
    {
      what: "push the chart",
      command: ["helm", "push", join(folder, `${chartName}-${version}.tgz`), `oci://${registry}/charts`],
      pushes: { name: "chart" },
    },
    sign("the chart", `${registry}/charts/${chartName}@${digestOf("chart")}`),
  ];
}

function sign(artifact: string, pushed: string): Step {
  return { what: `sign ${artifact}`, command: ["cosign", "sign", "--yes", pushed] };
}
