import type { ReactNode } from "react";

/** A form that submits a change. */
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
