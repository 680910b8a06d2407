import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { Type, type Static } from "typebox";
import { Compile } from "typebox/compile";
import type { Fields } from "./value.ts";

const Target = Type.Object(
  {
    kind: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    labelSelector: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

/** Schema of the supported members of kustomization.yaml. Others are refused, so that nothing is rendered wrongly. */
const Kustomization = Type.Object(
  {
    apiVersion: Type.Optional(Type.String()),
    kind: Type.Optional(Type.String()),
    namespace: Type.Optional(Type.String()),
    resources: Type.Optional(Type.Array(Type.String())),
    components: Type.Optional(Type.Array(Type.String())),
    patches: Type.Optional(
      Type.Array(Type.Object({ target: Target, patch: Type.String() }, { additionalProperties: false })),
    ),
    images: Type.Optional(
      Type.Array(
        Type.Object(
          { name: Type.String(), newName: Type.Optional(Type.String()), newTag: Type.Optional(Type.String()) },
          { additionalProperties: false },
        ),
      ),
    ),
    configMapGenerator: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String(), files: Type.Array(Type.String()) }, { additionalProperties: false }),
      ),
    ),
    generatorOptions: Type.Optional(
      Type.Object({ disableNameSuffixHash: Type.Literal(true) }, { additionalProperties: false }),
    ),
  },
  { additionalProperties: false },
);
export type Kustomization = Static<typeof Kustomization>;
const shape = Compile(Kustomization);

/** Reads the kustomization.yaml of a folder. Throws TypeError for an unsupported member. */
export function readKustomization(folder: string): Kustomization {
  const found: unknown = parse(readFileSync(join(folder, "kustomization.yaml"), "utf8"));
  if (shape.Check(found)) return found;
  const [first] = shape.Errors(found);
  throw new TypeError(`${folder}/kustomization.yaml: ${first?.instancePath ?? ""} ${first?.message ?? ""}`);
}

/** Parses all objects of a YAML text. */
export function parseObjects(text: string): readonly Fields[] {
  return parseAllDocuments(text).map((document): Fields => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS();
  });
}

/** Returns true if a resource is a folder. A folder is a further kustomization; a file has objects. */
export function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}
