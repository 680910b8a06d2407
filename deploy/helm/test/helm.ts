import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseObjects } from "../../k8s/render/kustomization.ts";
import { textOf, type Fields } from "../../k8s/render/value.ts";

const root = join(import.meta.dirname, "../../..");
/** Folder of the committed chart. */
export const folder = join(root, "deploy/helm/modelgate");
/** Names of the example values files. */
export const examples: readonly string[] = readdirSync(join(root, "deploy/helm/examples")).map((file) =>
  file.replace(".yaml", ""),
);
/** Returns the arguments that select a values file. */
export const example = (name: string): readonly string[] => [
  "--values",
  join(root, `deploy/helm/examples/${name}.yaml`),
];

const configuredHelm = process.env["MODELGATE_HELM"];
const candidates = [
  ...globSync(join(root, ".tools/helm-*/helm")),
  ...(process.env["PATH"] ?? "").split(delimiter).map((place) => join(place, "helm")),
];
/** Path of Helm: configured, built by the bootstrap, or on PATH. */
export const helm: string | undefined = configuredHelm
  ? existsSync(configuredHelm)
    ? configuredHelm
    : undefined
  : candidates.find(isExecutable);
if (helm === undefined)
  process.stdout.write("helm: not on this machine (npm test has said why), so the chart is not rendered\n");

export function runHelm(...words: readonly string[]) {
  return spawnSync(helm ?? "helm", words, {
    encoding: "utf8",
    cwd: root,
    env: { ...process.env, HELM_NO_PLUGINS: "1" },
  });
}

/** Oldest supported Kubernetes version. */
const kubernetes = ["--kube-version", "1.27.0"];

const rendered = new Map<string, readonly Fields[]>();

/** Renders the chart, once for the same words. Throws an error with Helm's output. */
export function render(...words: readonly string[]): readonly Fields[] {
  const key = words.join("\n");
  const objects = rendered.get(key) ?? renderFrom(folder, ...words);
  rendered.set(key, objects);
  return objects;
}

/** Renders a chart in another folder. */
export function renderFrom(chartFolder: string, ...words: readonly string[]): readonly Fields[] {
  const { status, stdout, stderr } = runHelm(
    "template",
    "modelgate",
    chartFolder,
    "--namespace",
    "modelgate",
    ...kubernetes,
    ...words,
  );
  if (status !== 0) throw new Error(stderr);
  // A file without objects is an empty document.
  return parseObjects(stdout).filter((object) => object !== null);
}

/** Renders the text that Helm prints after an installation. Without a cluster, Helm renders it only in an object. */
export function renderNotes(...words: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), "modelgate-notes-"));
  try {
    cpSync(folder, copy, { recursive: true });
    const notes = readFileSync(join(copy, "templates/NOTES.txt"), "utf8");
    writeFileSync(
      join(copy, "templates/notes.yaml"),
      `{{ define "notes" }}${notes}{{ end }}notes: {{ include "notes" . | toJson }}`,
    );
    const [object] = renderFrom(copy, "--show-only", "templates/notes.yaml", ...words);
    return textOf(object?.["notes"]);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
