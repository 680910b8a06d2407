import { Failure } from "@modelgate/contracts";
import { membersOf } from "./members.ts";

/**
 * Refuses (400) an object that says one of the `relied` members twice or in another case. Parsers differ in which of
 * two they take, and some take `Model` for `model`: what the gateway checked and priced must be what the vendor reads.
 * A relied member of a member is written with a dot; two relied names that differ only in how they join their words
 * (`maxTokens`, `max_tokens`) are one member. The bytes must be a valid JSON object.
 */
export function refuseAmbiguous(bytes: Buffer, relied: readonly string[], path = ""): void {
  const names = compiled(relied);
  const seen = new Set<string>();
  for (const { name, start, end } of membersOf(bytes)) {
    const member = names.get(folded(name));
    if (member === undefined) continue;
    const { known, joined, within } = member;
    const param = path + known;
    if (name !== known)
      throw new Failure("invalid_value", `${JSON.stringify(path + name)} must be written ${param}.`, { param });
    if (seen.has(joined)) throw new Failure("invalid_value", `${param} appears more than once.`, { param });
    seen.add(joined);
    if (within.length === 0 || bytes[start] !== openBrace) continue;
    if (end - start > settingsBytes)
      throw new Failure("request_too_large", `${param} is larger than ${settingsBytes} bytes.`, { param });
    refuseAmbiguous(bytes.subarray(start, end), within, `${param}.`);
  }
}

/** A member that is relied on, as it must be written. */
interface ReliedMember {
  readonly known: string;
  /** Its name however its words are joined. */
  readonly joined: string;
  /** The members of it that are relied on. */
  readonly within: readonly string[];
}

/** The members of each list of relied names, by their folded names: a wire's list is the same for all its calls. */
const compiledLists = new WeakMap<readonly string[], ReadonlyMap<string, ReliedMember>>();

function compiled(relied: readonly string[]): ReadonlyMap<string, ReliedMember> {
  const known = compiledLists.get(relied);
  if (known !== undefined) return known;
  const members = new Map<string, ReliedMember>();
  for (const name of relied) {
    if (name.includes(".")) continue;
    const within = relied.flatMap((each) => (each.startsWith(`${name}.`) ? [each.slice(name.length + 1)] : []));
    members.set(folded(name), { known: name, joined: folded(name).replaceAll("_", ""), within });
  }
  compiledLists.set(relied, members);
  return members;
}

/** Largest object with relied members: it is looked through and parsed at once, several times. */
const settingsBytes = 1024 * 1024;
const openBrace = 0x7b;

/** Names in both ways of joining their words: `maxTokens` and `max_tokens`. */
export function inBothSpellings(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return snake === name ? [name] : [name, snake];
  });
}

/** Without case, as the widest of parsers compares: both ways, since some letters (the Kelvin sign, the long s) fold only one way. */
function folded(name: string): string {
  return name.toLowerCase().toUpperCase();
}
