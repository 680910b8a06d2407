import type { ReactNode } from "react";

/** Form that submits a change. */
export function Form({
  change,
  children,
}: {
  readonly change: { readonly start: () => void };
  readonly children: ReactNode;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        change.start();
      }}
    >
      {children}
    </form>
  );
}
