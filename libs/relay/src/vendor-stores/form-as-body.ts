import type { JsonRecord } from "@modelgate/formats/json";

const maxSteps = 8;

type FormLevel = Map<string, unknown[]>;

/**
 * Converts a form to the object that vendors read: `a[b]` is a member of `a`; `a[]`, `a[0]` and repeated names are
 * items of a list.
 */
export function formAsBody(entries: Iterable<readonly [name: string, value: unknown]>): JsonRecord {
  const top: FormLevel = new Map();
  for (const [name, value] of entries) put(top, stepsOf(name), value);
  return toRecord(top);
}

function stepsOf(name: string): readonly [string, ...string[]] {
  const [, head = name, rest = ""] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const steps = [...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step = ""]) => step);
  return [head, ...steps.filter((step) => !/^\d*$/.test(step)).slice(0, maxSteps)];
}

function put(level: FormLevel, [name, ...rest]: readonly [string, ...string[]], value: unknown): void {
  const values = level.get(name) ?? [];
  level.set(name, values);
  const [next, ...others] = rest;
  if (next === undefined) return void values.push(value);
  const inner = values.find((each): each is FormLevel => each instanceof Map) ?? new Map<string, unknown[]>();
  if (!values.includes(inner)) values.push(inner);
  put(inner, [next, ...others], value);
}

function toRecord(level: FormLevel): JsonRecord {
  const members = [...level].map(([name, values]) => {
    const read = values.map((value) => (value instanceof Map ? toRecord(value) : value));
    return [name, read.length === 1 ? read[0] : read] as const;
  });
  return Object.fromEntries(members);
}
