/** A reading of answers that are looked at more than once, for their usage and for their client: each is read once. */
export function lastRemembered<Parsed>(read: (answer: Buffer) => Parsed): (answer: Buffer) => Parsed {
  let last: { readonly answer: Buffer; readonly parsed: Parsed } | undefined;
  return (answer) => {
    if (last?.answer !== answer) last = { answer, parsed: read(answer) };
    return last.parsed;
  };
}
