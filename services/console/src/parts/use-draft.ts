import { useState, type ChangeEvent } from "react";

/** Part of `useChange`'s result that an input needs. */
interface Change {
  readonly errorAt: (field: string) => string | undefined;
}

/**
 * Keeps the values of a form as React state. Returns the values, the functions that change some of them or restore the
 * initial ones, and the properties of each input.
 */
export function useDraft<Draft extends Readonly<Record<string, string>>>(initial: Draft) {
  const [draft, setDraft] = useState(initial);
  const set = (changed: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changed }));
  return {
    draft,
    set,
    reset: () => setDraft(initial),
    field: (name: keyof Draft & string, change: Change) => ({
      value: draft[name],
      onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        setDraft((before) => ({ ...before, [name]: currentTarget.value })),
      error: change.errorAt(name),
    }),
  };
}
