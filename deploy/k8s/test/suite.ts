import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DeclaredVariable } from "@modelgate/contracts";
import { variablesOf } from "../../reference/describe-variables.ts";
import { serviceNames } from "../../local/services.ts";
import { nameOf, renderFolder } from "../render/kustomize.ts";
import { isFields, textOf, type Fields, type Value } from "../render/value.ts";

const root = join(import.meta.dirname, "../../..");
/** Overlays with a Deployment for each service. */
export const overlaysApart = ["local", "production"] as const;
export const overlays = [...overlaysApart, "small"] as const;

/** Returns all objects of an overlay. */
export function overlay(name: (typeof overlays)[number]): readonly Fields[] {
  return renderFolder(join(root, "deploy/k8s/overlays", name));
}

/** Returns the member at a path of names and indices. */
export function at(value: Value | undefined, ...path: readonly (string | number)[]): Value | undefined {
  let found = value;
  for (const name of path) {
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isFields(found) ? found[name] : undefined;
  }
  return found;
}

/** Returns the objects in a list. */
export function itemsAt(value: Value | undefined, ...path: readonly (string | number)[]): readonly Fields[] {
  const list = at(value, ...path);
  return Array.isArray(list) ? list.filter(isFields) : [];
}

/** Deployment of one service. */
export interface Deployed {
  readonly name: string;
  readonly object: Fields;
  readonly pod: Value | undefined;
  readonly container: Fields;
  /** Variables with a value in the manifest. */
  readonly env: ReadonlyMap<string, string>;
  readonly fromSecret: readonly string[];
}

/** Returns the Deployments of an overlay. */
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

/** Returns the variables that a container reads, by name. */
export async function declaredBy(container: string): Promise<Readonly<Record<string, DeclaredVariable>>> {
  const containerServices = container === "gateway" ? gatewayServices : [container];
  const all = container === "simulator" ? containerServices : ["gateway", ...containerServices];
  const variables = await Promise.all(all.map(variablesOf));
  return Object.fromEntries(variables.flat().map((variable) => [variable.name, variable]));
}

const gatewayServices = serviceNames.filter((name) => name !== "simulator");

/** Names of all services, and of the simulator. */
export const services: readonly string[] = [
  ...readdirSync(join(root, "services")).filter((name) => existsSync(join(root, "services", name, "src/service.ts"))),
  "simulator",
];

/** Names of the images. One image contains all services. */
export const images: readonly string[] = ["gateway", "simulator"];
