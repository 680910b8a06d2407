/** A value that is made when it is first asked for, and kept. One that could not be made is tried again. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
