import type { ReactNode } from "react";

/** A form that sends what its change does. */
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
