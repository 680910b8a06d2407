import { Failure } from "@modelgate/contracts";

/** How a client's wire spells the fields of the neutral form. */
export type Spelling = Readonly<Record<string, string | undefined>>;

/** A rendered request, with what was left out on the way. */
export interface Told {
  readonly dropped: readonly string[];
}

/** Who asked, and whether a hint may get lost. */
export interface Asker {
  readonly spelling: Spelling;
  /** Whether the client wants a refusal rather than a dropped hint. */
  readonly strict: boolean;
}

/**
 * Renders a request and names what got lost in the client's words; `before` was lost when it was read. Throws Failure
 * unsupported_parameter (400) for what would change the answer's meaning, and under strict for every hint as well.
 */
export function tellLosses<Said extends Told>(
  { spelling, strict }: Asker,
  before: readonly string[],
  render: () => Said,
): Said {
  const said = inWordsOf(spelling, render);
  const dropped = [...new Set([...before, ...said.dropped.map((word) => spell(spelling, word))])];
  if (strict && dropped.length > 0)
    throw new Failure("unsupported_parameter", `The vendor of this model cannot take: ${dropped.join(", ")}.`, {
      param: dropped[0],
    });
  return { ...said, dropped };
}

/** The neutral form's word for a field, or a path that begins with one, as a wire spells it. */
function spell(spelling: Spelling, word: string): string {
  const [head = "", ...rest] = word.split(".");
  const own = Object.hasOwn(spelling, head) ? spelling[head] : undefined;
  return own === undefined ? word : [own, ...rest].join(".");
}

function inWordsOf<Said>(spelling: Spelling, render: () => Said): Said {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "unsupported_parameter" || error.param === undefined) throw error;
    const param = spell(spelling, error.param);
    throw new Failure(
      "unsupported_parameter",
      error.message.replace(error.param, () => param),
      { param },
    );
  }
}
