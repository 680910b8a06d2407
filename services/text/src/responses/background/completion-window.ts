import { Failure } from "@modelgate/contracts";
import { isRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";

/** Time within which a background response should be complete; "2h" and "8h" are cheaper. */
export type CompletionWindow = "soonest" | "2h" | "8h";

const windows: readonly unknown[] = ["soonest", "2h", "8h"] satisfies readonly CompletionWindow[];

/** Returns the completion window in `background_options`. Throws Failure (400) if it is invalid. */
export function completionWindowOf(body: JsonObject): CompletionWindow | undefined {
  const { background_options: options, background, stream, service_tier: tier } = body;
  if ((options ?? undefined) === undefined) return undefined;
  if (!isRecord(options))
    throw new Failure("invalid_value", "background_options must be an object.", { param: "background_options" });
  const { completion_window: window = "soonest" } = options;
  const param = "background_options.completion_window";
  if (!isWindow(window)) throw new Failure("invalid_value", `${param} must be one of soonest, 2h and 8h.`, { param });
  const isStandard = (tier ?? "auto") === "auto" || tier === "default";
  if (window !== "soonest" && (background !== true || stream === true || !isStandard))
    throw new Failure(
      "invalid_value",
      "The 2h and 8h completion windows require background: true, standard processing, and no stream.",
      { param },
    );
  return window;
}

function isWindow(window: unknown): window is CompletionWindow {
  return windows.includes(window);
}
