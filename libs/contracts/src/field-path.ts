/**
 * A field that a schema's error names, as people and vendors write it: the JSON pointer `/messages/0/content`, with
 * one more step if given, is `messages[0].content`; the whole document is "".
 */
export function fieldPath(pointer: string, last?: string): string {
  const steps = pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (last !== undefined) steps.push(last);
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    return path === "" ? step : `${path}.${step}`;
  }, "");
}
