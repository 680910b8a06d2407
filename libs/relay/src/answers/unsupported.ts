import { Failure } from "@modelgate/contracts";

/** Maps fields of the neutral request to their names in a client's wire. */
export type FieldSpelling = Readonly<Record<string, string | undefined>>;

export interface RenderedFields {
  readonly dropped: readonly string[];
}

/** Rules for fields that a vendor does not support. */
export interface UnsupportedRules {
  readonly spelling: FieldSpelling;
  /** True if a request with unsupported optional fields is refused. Otherwise the fields are left out. */
  readonly refusesUnsupported: boolean;
}

/**
 * Renders a request, and returns all left-out fields in the client's spelling. Throws Failure unsupported_parameter
 * (400) for an unsupported field that changes the meaning of the answer, or for any unsupported field if
 * `refusesUnsupported` is set.
 */
export function renderSupported<R extends RenderedFields>(
  { spelling, refusesUnsupported }: UnsupportedRules,
  droppedBefore: readonly string[],
  render: () => R,
): R {
  const rendered = withClientFieldName(spelling, render);
  if (droppedBefore.length === 0 && rendered.dropped.length === 0) return rendered;
  const dropped = [
    ...new Set([...droppedBefore, ...rendered.dropped.map((field) => clientFieldName(spelling, field))]),
  ];
  if (refusesUnsupported && dropped.length > 0)
    throw new Failure("unsupported_parameter", `The vendor of this model does not support: ${dropped.join(", ")}.`, {
      param: dropped[0],
    });
  return { ...rendered, dropped };
}

function clientFieldName(spelling: FieldSpelling, field: string): string {
  const [head = "", ...rest] = field.split(".");
  const clientName = Object.hasOwn(spelling, head) ? spelling[head] : undefined;
  return clientName === undefined ? field : [clientName, ...rest].join(".");
}

function withClientFieldName<R>(spelling: FieldSpelling, render: () => R): R {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "unsupported_parameter" || error.param === undefined) throw error;
    const param = clientFieldName(spelling, error.param);
    throw new Failure(
      "unsupported_parameter",
      error.message.replace(error.param, () => param),
      { param },
    );
  }
}
