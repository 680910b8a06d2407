import { useState, type ChangeEvent } from "react";

/** What of a change a field needs: what was refused about it. */
interface Change {
  readonly errorAt: (field: string) => string | undefined;
}

/** What a form's fields hold before they are sent, and the properties of each field's input. */
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
