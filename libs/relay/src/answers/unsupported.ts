import { Failure } from "@modelgate/contracts";

/** Spelling of the neutral form's fields in a client's wire. */
export type FieldSpelling = Readonly<Record<string, string | undefined>>;

/** A rendered request, and the fields that were left out. */
export interface RenderedFields {
  readonly dropped: readonly string[];
}

/** The client's spelling, and whether a hint may get lost. */
export interface UnsupportedRules {
  readonly spelling: FieldSpelling;
  /** True if the client wants a refusal rather than a dropped hint. */
  readonly strict: boolean;
}

/**
 * Renders a request and names the dropped fields as the client spells them; `before` was dropped when it was read. Throws Failure
 * unsupported_parameter (400) for what would change the answer's meaning, and under strict for every hint as well.
 */
export function renderSupported<R extends RenderedFields>(
  { spelling, strict }: UnsupportedRules,
  before: readonly string[],
  render: () => R,
): R {
  const rendered = inWordsOf(spelling, render);
  const dropped = [...new Set([...before, ...rendered.dropped.map((word) => spell(spelling, word))])];
  if (strict && dropped.length > 0)
    throw new Failure("unsupported_parameter", `The vendor of this model cannot take: ${dropped.join(", ")}.`, {
      param: dropped[0],
    });
  return { ...rendered, dropped };
}

/** A field of the neutral form, or a path that begins with one, as a wire spells it. */
function spell(spelling: FieldSpelling, word: string): string {
  const [head = "", ...rest] = word.split(".");
  const own = Object.hasOwn(spelling, head) ? spelling[head] : undefined;
  return own === undefined ? word : [own, ...rest].join(".");
}

function inWordsOf<R>(spelling: FieldSpelling, render: () => R): R {
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
