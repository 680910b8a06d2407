import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nameOf, renderFolder } from "../render/kustomize.ts";
import { isFields, textOf, type Fields, type Value } from "../render/value.ts";

const root = join(import.meta.dirname, "../../..");
/** What the manifests are held against. */
export const overlays = ["local", "production"] as const;

/** All objects of an overlay. */
export function overlay(name: (typeof overlays)[number]): readonly Fields[] {
  return renderFolder(join(root, "deploy/k8s/overlays", name));
}

/** The member at a path of names and indices; undefined where there is none. */
export function at(value: Value | undefined, ...path: readonly (string | number)[]): Value | undefined {
  let found = value;
  for (const name of path) {
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isFields(found) ? found[name] : undefined;
  }
  return found;
}

/** A list's items that have members; an absent list is empty. */
export function itemsAt(value: Value | undefined, ...path: readonly (string | number)[]): readonly Fields[] {
  const list = at(value, ...path);
  return Array.isArray(list) ? list.filter(isFields) : [];
}

/** One service's Deployment, with what tests ask of it. */
export interface Deployed {
  readonly name: string;
  readonly object: Fields;
  readonly pod: Value | undefined;
  readonly container: Fields;
  /** Variables with a value in the manifest, and those that a Secret gives. */
  readonly env: ReadonlyMap<string, string>;
  readonly fromSecret: readonly string[];
}

/** The Deployments of an overlay. */
export function deployedIn(objects: readonly Fields[]): readonly Deployed[] {
  return objects
    .filter(({ kind }) => kind === "Deployment")
    .map((object) => {
      const pod = at(object, "spec", "template", "spec");
      const [container = {}] = itemsAt(pod, "containers");
      const env = itemsAt(container, "env");
      return {
        name: nameOf(object),
        object,
        pod,
        container,
        env: new Map(env.filter((one) => "value" in one).map((one) => [textOf(one["name"]), textOf(one["value"])])),
        fromSecret: env.filter((one) => "valueFrom" in one).map((one) => textOf(one["name"])),
      };
    });
}

interface DeclaredVariable {
  readonly read: (text: string | undefined) => unknown;
}

/** The variables that a service's `env.ts` (or its main, where it has none of its own) declares. */
export async function variablesOf(service: string): Promise<Readonly<Record<string, DeclaredVariable>>> {
  const file = join(root, "services", service, "src/env.ts");
  if (existsSync(file)) {
    const { variables }: { variables: Readonly<Record<string, DeclaredVariable>> } = await import(
      pathToFileURL(file).href
    );
    return variables;
  }
  const platform: { serviceVariables: (name: string) => Readonly<Record<string, DeclaredVariable>> } = await import(
    pathToFileURL(join(root, "libs/platform/src/index.ts")).href
  );
  return platform.serviceVariables(service.toUpperCase());
}

/** Whether a service cannot start without a variable. */
export function isRequired({ read }: DeclaredVariable): boolean {
  try {
    read(undefined);
    return false;
  } catch {
    return true;
  }
}

/** Every service of the suite. */
export const services: readonly string[] = readdirSync(join(root, "services")).filter((name) =>
  existsSync(join(root, "services", name, "src/main.ts")),
);
