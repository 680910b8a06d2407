import { Failure } from "@modelgate/contracts";

/** Maps fields of the hub request (the gateway's internal form) to their names in a client's wire. */
export type FieldSpelling = Readonly<Record<string, string | undefined>>;

/** Names of the fields that were left out of a rendered request. */
export interface RenderedFields {
  readonly dropped: readonly string[];
}

/** Rules for fields that a vendor does not support. */
export interface UnsupportedRules {
  readonly spelling: FieldSpelling;
  /** True if unsupported optional fields are refused instead of left out. */
  readonly strict: boolean;
}

/**
 * Renders a request and returns the left-out fields in the client's spelling. They include those in `droppedBefore`,
 * which were left out when the request was read. Throws Failure unsupported_parameter (400) for an unsupported field
 * that would change the meaning of the answer; if `strict` is set, also for optional fields.
 */
export function renderSupported<R extends RenderedFields>(
  { spelling, strict }: UnsupportedRules,
  droppedBefore: readonly string[],
  render: () => R,
): R {
  const rendered = withClientFieldName(spelling, render);
  if (droppedBefore.length === 0 && rendered.dropped.length === 0) return rendered;
  const dropped = [
    ...new Set([...droppedBefore, ...rendered.dropped.map((field) => clientFieldName(spelling, field))]),
  ];
  if (strict && dropped.length > 0)
    throw new Failure("unsupported_parameter", `The vendor of this model does not support: ${dropped.join(", ")}.`, {
      param: dropped[0],
    });
  return { ...rendered, dropped };
}

/** Returns the client's name of a hub request's field, or of a path that begins with a field. */
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
