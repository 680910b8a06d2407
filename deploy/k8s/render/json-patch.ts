import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { isFields, type Fields, type Value } from "./value.ts";

/** Step of a JSON patch (RFC 6902). */
export interface PatchStep {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: Value;
}

/** Schema of a list of steps. */
export const patchShape = {
  Check(steps: unknown): steps is readonly PatchStep[] {
    return Array.isArray(steps) && steps.every((step) => stepShape.Check(step));
  },
};
const stepShape = Compile(
  Type.Object(
    {
      op: Type.Union([Type.Literal("add"), Type.Literal("replace"), Type.Literal("remove")]),
      path: Type.String({ pattern: "^/." }),
      value: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  ),
);

/** Applies steps with `add`, `replace` and `remove`. Throws an error if a path does not exist. */
export function applyJsonPatch(object: Fields, steps: readonly PatchStep[]): Fields {
  let patched: Value = object;
  for (const step of steps) patched = applyStep(patched, step, step.path.split("/").slice(1).map(unescape));
  if (!isFields(patched)) throw new TypeError("a patch replaced the whole object");
  return patched;
}

function applyStep(target: Value | undefined, step: PatchStep, path: readonly string[]): Value {
  const [name = "", ...rest] = path;
  if (Array.isArray(target)) {
    const items: Value[] = [...target];
    const index = name === "-" ? items.length : Number(name);
    if (!Number.isInteger(index) || index > items.length) throw new RangeError(`${step.path} does not exist`);
    if (rest.length > 0) items[index] = applyStep(items[index], step, rest);
    else if (step.op === "add") items.splice(index, 0, valueOf(step));
    else items.splice(index, 1, ...(step.op === "replace" ? [valueOf(step)] : []));
    return items;
  }
  if (!isFields(target)) throw new RangeError(`${step.path} does not exist`);
  if (rest.length > 0) return { ...target, [name]: applyStep(target[name], step, rest) };
  if (step.op !== "add" && !(name in target)) throw new RangeError(`${step.path} does not exist`);
  if (step.op !== "remove") return { ...target, [name]: valueOf(step) };
  return Object.fromEntries(Object.entries(target).filter(([member]) => member !== name));
}

function valueOf({ op, path, value }: PatchStep): Value {
  if (op === "remove" || value === undefined) throw new RangeError(`${op} ${path} has no value`);
  return value;
}

function unescape(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
