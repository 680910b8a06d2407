import { applyJsonPatch, type PatchStep } from "../../k8s/render/json-patch.ts";
import { textOf, type Fields, type Value } from "../../k8s/render/value.ts";
import { readManifest } from "./manifest.ts";
import { inlineExpression, optionalMember, renderTemplate, secretKeyOf, type Part } from "./template.ts";

const objects = {
  redis: readManifest("components/stores/redis.yaml"),
  redisContent: readManifest("components/stores/redis-content.yaml"),
  nats: readManifest("components/stores/nats.yaml"),
  postgres: readManifest("components/stores/postgres.yaml"),
} as const;
export type Store = keyof typeof objects;
export const stores = ["redis", "redisContent", "nats", "postgres"] as const satisfies readonly Store[];

const container = "/spec/template/spec/containers/0";
const storage = "/spec/volumeClaimTemplates/0/spec/resources/requests/storage";

/** Returns the default image and volume size of a server. */
export function defaultsOf(store: Store): { readonly image: string; readonly storage: string } {
  const set = statefulSetOf(store);
  return { image: textOf(valueAt(set, `${container}/image`)), storage: textOf(valueAt(set, storage)) };
}

/** Returns the name of a server's objects. */
export function nameOf(store: Store): string {
  return textOf(valueAt(statefulSetOf(store), "/metadata/name"));
}

/** Returns the template of a server, which is rendered if `bundled` is set. */
export function storeTemplate(store: Store, head: string): string {
  const values = `.Values.${store}`;
  const replace = (path: string, value: Value): PatchStep => ({ op: "replace", path, value });
  const statefulSetSteps: readonly PatchStep[] = [
    replace(`${container}/image`, inlineExpression(`${values}.image`)),
    { op: "remove", path: `${container}/resources` },
    { op: "add", path: `${container}/${optionalMember("resources", `${values}.resources`)}`, value: null },
    replace(storage, inlineExpression(`${values}.storage`)),
    ...passwordSteps(statefulSetOf(store)),
  ];
  const parts = objects[store].map((object): Part => {
    if (object["kind"] === "StatefulSet") return { object: applyJsonPatch(object, statefulSetSteps) };
    return object["kind"] === "NetworkPolicy" ? { object, when: ".Values.networkPolicy.enabled" } : { object };
  });
  return `${head}{{- if ${values}.bundled }}\n${renderTemplate("", parts)}{{- end }}\n`;
}

function statefulSetOf(store: Store): Fields {
  return objects[store].find(({ kind }) => kind === "StatefulSet") ?? {};
}

function passwordSteps(set: Fields): readonly PatchStep[] {
  const env = valueAt(set, `${container}/env`);
  return (Array.isArray(env) ? env : []).flatMap((_, index): readonly PatchStep[] => {
    const path = `${container}/env/${index}/valueFrom/secretKeyRef`;
    const key = textOf(valueAt(set, `${path}/key`));
    return key === "" ? [] : [{ op: "replace", path, value: secretKeyOf(key) }];
  });
}

function valueAt(object: Fields, path: string): Value | undefined {
  let found: Value | undefined = object;
  for (const step of path.split("/").slice(1)) {
    if (Array.isArray(found)) found = found[Number(step)];
    else if (typeof found === "object" && found !== null)
      found = Object.entries(found).find(([name]) => name === step)?.[1];
  }
  return found;
}
