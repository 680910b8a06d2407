import { isRecord } from "./members.ts";
import type { Path, Shape, ShapeMistake } from "./shape.ts";

export type Node = ObjectNode | ListNode | RecordNode | UnionNode | EnumNode | CheckNode | NullNode | NameNode;

export interface Member {
  readonly node: Node;
  readonly isOptional: boolean;
}

/** `isOpen` allows further members. `takesNull` allows null for optional members. */
export interface ObjectNode {
  readonly kind: "object";
  readonly members: ReadonlyMap<string, Member>;
  readonly isOpen: boolean;
  readonly takesNull: boolean;
}

interface ListNode {
  readonly kind: "list";
  readonly of: Node;
  readonly min: number;
  readonly max: number;
}

interface RecordNode {
  readonly kind: "record";
  readonly of: Node;
}

interface UnionNode {
  readonly kind: "union";
  readonly of: readonly Node[];
}

interface EnumNode {
  readonly kind: "enum";
  readonly values: readonly string[];
}

interface CheckNode {
  readonly kind: "check";
  readonly check: Shape;
}

interface NullNode {
  readonly kind: "null";
}

interface NameNode {
  readonly kind: "name";
  /** Returns the named node. Called only during a check, because a shape may contain itself. */
  readonly find: () => Node;
}

/** Returns the first mistake of a value, or undefined. */
export function check(node: Node, value: unknown, path: Path): ShapeMistake | undefined {
  if (node.kind === "name") return check(node.find(), value, path);
  if (node.kind === "check") return node.check(value, path);
  if (node.kind === "null") return value === null ? undefined : { path, problem: "type", expected: "null" };
  if (node.kind === "enum") return checkEnum(node, value, path);
  if (node.kind === "list") return checkList(node, value, path);
  if (node.kind === "record") return checkRecord(node, value, path);
  if (node.kind === "object") return checkObject(node, value, path);
  return checkUnion(node, value, path);
}

const oneOf = (values: readonly string[]): string => `one of ${values.join(", ")}`;

function firstMistake<T>(
  values: Iterable<T>,
  checkValue: (value: T) => ShapeMistake | undefined,
): ShapeMistake | undefined {
  for (const value of values) {
    const wrong = checkValue(value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function checkEnum({ values }: EnumNode, value: unknown, path: Path): ShapeMistake | undefined {
  if (typeof value !== "string") return { path, problem: "type", expected: "a string" };
  return values.includes(value) ? undefined : { path, problem: "value", expected: oneOf(values) };
}

function checkRecord({ of }: RecordNode, value: unknown, path: Path): ShapeMistake | undefined {
  if (!isRecord(value)) return { path, problem: "type", expected: "an object" };
  return firstMistake(Object.entries(value), ([name, member]) => check(of, member, [...path, name]));
}

function checkList({ of, min, max }: ListNode, value: unknown, path: Path): ShapeMistake | undefined {
  if (!Array.isArray(value)) return { path, problem: "type", expected: "an array" };
  if (value.length < min || value.length > max)
    return { path, problem: "value", expected: `an array of ${min} elements at least and ${max} at most` };
  return firstMistake(value.entries(), ([at, element]) => check(of, element, [...path, at]));
}

function checkObject({ members, isOpen, takesNull }: ObjectNode, value: unknown, path: Path): ShapeMistake | undefined {
  if (!isRecord(value)) return { path, problem: "type", expected: "an object" };
  for (const [name, { isOptional }] of members)
    if (!isOptional && value[name] === undefined)
      return { path: [...path, name], problem: "missing", expected: "present" };
  return firstMistake(Object.entries(value), ([name, found]) => {
    const member = members.get(name);
    if (member === undefined)
      return isOpen ? undefined : { path: [...path, name], problem: "unknown", expected: "absent" };
    if (takesNull && found === null && member.isOptional) return undefined;
    return check(member.node, found, [...path, name]);
  });
}

/** Alternatives of a union. References and inner unions are replaced by their own alternatives. */
interface Alternatives {
  readonly takesNull: boolean;
  readonly others: readonly Node[];
  readonly objects: readonly ObjectNode[];
}

const alternativesCache = new WeakMap<UnionNode, Alternatives>();

function alternativesOf(union: UnionNode): Alternatives {
  const found = alternativesCache.get(union);
  if (found !== undefined) return found;
  const flat = flatten(union);
  const objects = flat.filter((node) => node.kind === "object");
  const others = flat.filter((node) => node.kind !== "object" && node.kind !== "null");
  const alternatives = { takesNull: flat.some(({ kind }) => kind === "null"), others, objects };
  alternativesCache.set(union, alternatives);
  return alternatives;
}

function flatten(node: Node): readonly Node[] {
  if (node.kind === "name") return flatten(node.find());
  return node.kind === "union" ? node.of.flatMap(flatten) : [node];
}

function checkUnion(union: UnionNode, value: unknown, path: Path): ShapeMistake | undefined {
  const { takesNull, others, objects } = alternativesOf(union);
  if (takesNull && value === null) return undefined;
  return closestMistake([
    ...others.map((node) => () => check(node, value, path)),
    ...(objects.length > 0 ? [() => checkObjects(objects, value, path)] : []),
  ]);
}

/** Checks a value against the objects that its tag selects (`tagOf`), or against all objects if they have no tag. */
function checkObjects(
  objects: readonly ObjectNode[],
  value: unknown,
  path: Path,
  used: readonly string[] = [],
): ShapeMistake | undefined {
  const tag = objects.length > 1 ? tagOf(objects, used) : undefined;
  if (tag === undefined) return closestMistake(objects.map((node) => () => checkObject(node, value, path)));
  if (!isRecord(value)) return { path, problem: "type", expected: "an object" };
  const word = value[tag];
  const expected = oneOf(objects.flatMap((node) => valuesAt(node, tag)));
  const fitting = objects.filter((node) =>
    word === undefined ? node.members.get(tag)?.isOptional : valuesAt(node, tag).some((each) => each === word),
  );
  if (fitting.length > 0) return checkObjects(fitting, value, path, [...used, tag]);
  return { path: [...path, tag], problem: word === undefined ? "missing" : "value", expected };
}

/** Returns the member whose values distinguish the objects. */
function tagOf(objects: readonly ObjectNode[], used: readonly string[]): string | undefined {
  const [first] = objects;
  const names = [...(first?.members.keys() ?? [])].filter((name) => !used.includes(name));
  return names.find((name) => {
    const values = objects.map((node) => valuesAt(node, name).join());
    return values.every((each) => each !== "") && new Set(values).size > 1;
  });
}

function valuesAt({ members }: ObjectNode, name: string): readonly string[] {
  const node = members.get(name)?.node;
  return node?.kind === "enum" ? node.values : [];
}

/** Returns the mistake of the closest alternative; undefined if one matches. */
function closestMistake(alternatives: readonly (() => ShapeMistake | undefined)[]): ShapeMistake | undefined {
  let found: ShapeMistake | undefined;
  for (const alternative of alternatives) {
    const wrong = alternative();
    if (wrong === undefined) return undefined;
    if (found === undefined || depthOf(wrong) > depthOf(found)) found = wrong;
  }
  return found;
}

/** Returns how far a value matched before a mistake. A wrong value counts as a closer match than a wrong type. */
function depthOf({ path, problem }: ShapeMistake): number {
  return path.length * 2 + (problem === "type" ? 0 : 1);
}
