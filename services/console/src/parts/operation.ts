type Draft = Readonly<Record<string, string>>;

/** Change that the server makes at most once, even if the form is sent again. */
export interface Operation {
  readonly id: string;
  readonly draft: Draft;
}

/**
 * Returns the operation for a form that is sent. If the same values were sent before and the answer was lost, returns
 * that operation.
 */
export function operationFor(draft: Draft, before: Operation | undefined): Operation {
  if (before !== undefined && JSON.stringify(before.draft) === JSON.stringify(draft)) return before;
  // `crypto.randomUUID` does not exist on pages without https.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return { id: Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(""), draft };
}
