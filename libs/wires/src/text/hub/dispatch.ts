import type { TextEvent } from "./answer.ts";

/** Calls the handler of an event's type, if there is one. */
export function dispatch<Result>(
  on: { readonly [Type in TextEvent["type"]]?: (event: Extract<TextEvent, { type: Type }>) => Result },
  event: TextEvent,
): Result | undefined {
  // Each handler takes exactly the events of the key that it stands under, which TypeScript cannot follow here.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const handler = on[event.type] as ((event: TextEvent) => Result) | undefined;
  return handler?.(event);
}
