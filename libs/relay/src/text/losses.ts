import { Failure } from "@modelgate/contracts";
import { textCodecs, type JsonObject, type Parsed, type Rendered } from "@modelgate/wires";
import type { TextCall } from "./exchange.ts";

/** A rendered request, with all that was left out on the way, as the client spells it. */
interface Told {
  readonly body: JsonObject;
  readonly dropped: readonly string[];
}

/**
 * Renders a request and names what got lost in the client's words. Throws Failure unsupported_parameter (400) for
 * what would change the answer's meaning, and under strict for every hint as well.
 */
export function losses(
  { wire, strict }: Pick<TextCall, "wire" | "strict">,
  parsed: Parsed,
  render: () => Rendered,
): Told {
  const rendered = spelledFor(wire, render);
  const dropped = [...new Set([...parsed.dropped, ...rendered.dropped.map((word) => spell(wire, word))])];
  if (strict && dropped.length > 0)
    throw new Failure("unsupported_parameter", `The vendor of this model cannot take: ${dropped.join(", ")}.`, {
      param: dropped[0],
    });
  return { body: rendered.body, dropped };
}

/** The neutral form's word for a field, or a path that begins with one, as a wire spells it. */
function spell(wire: TextCall["wire"], word: string): string {
  const spelling: Readonly<Record<string, string>> = textCodecs[wire].spelling;
  const [head = "", ...rest] = word.split(".");
  const own = Object.hasOwn(spelling, head) ? spelling[head] : undefined;
  return own === undefined ? word : [own, ...rest].join(".");
}

function spelledFor(wire: TextCall["wire"], render: () => Rendered): Rendered {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "unsupported_parameter" || error.param === undefined) throw error;
    const param = spell(wire, error.param);
    throw new Failure(
      "unsupported_parameter",
      error.message.replace(error.param, () => param),
      { param },
    );
  }
}
