import { Failure } from "@modelgate/contracts";

/** Names of the hub request's fields in a client's wire. */
export type FieldSpelling = Readonly<Record<string, string | undefined>>;

/** A rendered request, and the fields that were left out. */
export interface RenderedFields {
  readonly dropped: readonly string[];
}

/** Names of fields for the client, and the treatment of optional fields. */
export interface UnsupportedRules {
  readonly spelling: FieldSpelling;
  /** True if unsupported optional fields are refused, not dropped. */
  readonly strict: boolean;
}

/**
 * Renders a request and lists the dropped fields in the client's spelling, including those in `before`, which were
 * dropped when the request was read. Throws Failure unsupported_parameter (400) for an unsupported field that would
 * change the meaning of the answer; under `strict` also for optional fields.
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

/** Returns a wire's name for a field of the hub request, or for a path that begins with one. */
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
