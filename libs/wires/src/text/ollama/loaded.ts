import type { JsonObject } from "../hub/request.ts";
import { chatForm, generateForm } from "./form.ts";
import { timeOf } from "./render-answer.ts";

const forms = { "ollama-chat": chatForm, "ollama-generate": generateForm } as const;

/** The answer to a request that says nothing, which asks only for its model to be ready. */
export function renderLoaded(
  wire: keyof typeof forms,
  { model, now }: { readonly model: string; readonly now: number },
): JsonObject {
  return { model, created_at: timeOf(now), ...forms[wire]({}), done: true, done_reason: "load" };
}
