import { listAt, memberOf, textAt } from "../checks/members.ts";
import type { Prompt, PromptPiece } from "../core/prompt-cache.ts";

/** Models that cache up to breakpoints. Older caches are not simulated. */
const cachingModels = /^gpt-(?:5\.[6-9]|[6-9])/;

/** Models that read `instructions` after the input. */
const modelsWithInstructionsLast = /^gpt-6\.[2-9]/;

/** Maximum number of breakpoints by mode; only the last ones count. Implicit mode adds the end of the prompt. */
const maxMarks = { explicit: 4, implicit: 3 } as const;

/** Returns the prompt as the newest models cache it; undefined for other models. */
export function promptOf(
  body: unknown,
  items: readonly unknown[],
  textOf: (part: unknown) => string,
): Prompt | undefined {
  const model = textAt(body, "model") ?? "";
  if (!cachingModels.test(model)) return undefined;
  const parts = items.flatMap((item) => {
    const role = roleOf(item);
    const content = memberOf(item, "content");
    if (!Array.isArray(content)) return [{ role, text: textOf(item), isMarked: false }];
    return listAt(item, "content").map((part) => ({
      role,
      text: textOf(part),
      isMarked: (memberOf(part, "prompt_cache_breakpoint") ?? null) !== null,
    }));
  });
  const isExplicit = textAt(memberOf(body, "prompt_cache_options"), "mode") === "explicit";
  const marks = parts.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
  const breakpoints = isExplicit
    ? marks.slice(-maxMarks.explicit)
    : [...marks.slice(-maxMarks.implicit), parts.length - 1];
  const pieces = parts.map(({ role, text }, at): PromptPiece => ({ role, text, isCut: breakpoints.includes(at) }));
  const instructions = textAt(body, "instructions");
  const top = instructions === undefined ? [] : [{ role: "developer", text: instructions, isCut: false }];
  return {
    scope: [model, memberOf(body, "tools"), memberOf(body, "prompt_cache_key")],
    pieces: modelsWithInstructionsLast.test(model) ? [...pieces, ...top] : [...top, ...pieces],
  };
}

/** Returns the role of an item. `system` is an older name of `developer`. */
function roleOf(item: unknown): string {
  const role = textAt(item, "role") ?? textAt(item, "type") ?? "";
  return role === "system" ? "developer" : role;
}
