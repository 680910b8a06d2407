import { Failure } from "@modelgate/contracts";
import { membersOf } from "./members.ts";

/**
 * Refuses (400) an object that says one of the `relied` members twice or in another case. Parsers differ in which of
 * two they take, and some take `Model` for `model`: what the gateway checked and priced must be what the vendor reads.
 * The bytes must be a valid JSON object.
 */
export function refuseAmbiguous(bytes: Buffer, relied: readonly string[]): void {
  const exact = new Map(relied.map((name) => [folded(name), name]));
  const seen = new Set<string>();
  for (const { name } of membersOf(bytes)) {
    const param = exact.get(folded(name));
    if (param === undefined) continue;
    if (name !== param)
      throw new Failure("invalid_value", `${JSON.stringify(name)} must be written ${param}.`, { param });
    if (seen.has(param)) throw new Failure("invalid_value", `${param} is there twice.`, { param });
    seen.add(param);
  }
}

/** Without case, as the widest of parsers compares: both ways, since some letters (the Kelvin sign, the long s) fold only one way. */
function folded(name: string): string {
  return name.toLowerCase().toUpperCase();
}
