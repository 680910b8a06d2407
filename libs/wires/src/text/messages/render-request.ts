import { present } from "../../json/present.ts";
import type { Rendered, Target } from "../hub/codec.ts";
import { cannotSay, lostFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { Losses } from "../hub/unsupported.ts";
import type { JsonObject, TextRequest } from "../hub/request.ts";
import { fates } from "./field-support.ts";
import { renderTools, renderToolChoice } from "./render-tools.ts";
import { renderTurns } from "./render-turns.ts";
import { renderSampling } from "./sampling.ts";
import { renderThinking } from "./thinking.ts";

/** The request for a vendor of this wire. Throws Failure unsupported_parameter for what the wire cannot say. */
export function renderRequest(asked: TextRequest, target: Target): Rendered {
  const losses = new Losses();
  const request = withoutForeignSearches(asked, "messages", losses);
  for (const field of lostFields(request, fates)) losses.note(field);
  const { system, messages } = renderTurns(request, losses);
  const { thinking, effort, maxTokens, on } = renderThinking(request, target, messages, losses);
  const body = present({
    model: target.model,
    max_tokens: maxTokens,
    system,
    messages,
    stream: request.stream ? true : undefined,
    tools: renderTools(request, losses),
    tool_choice: renderToolChoice(request, losses),
    stop_sequences: renderStop(request),
    thinking,
    output_config: renderOutput(request, effort, losses),
    ...renderSampling(request, target.model, on, losses),
    metadata: request.user === undefined ? undefined : { user_id: request.user },
    service_tier: renderTier(request, losses),
  });
  return { body, dropped: losses.words };
}

/** The vendor refuses a sequence of white space only. */
function renderStop({ stop }: TextRequest): readonly string[] | undefined {
  if (stop?.some((sequence) => sequence.trim() === "") === true)
    throw cannotSay("stop", "The vendor of this model cannot stop at white space only.");
  return stop !== undefined && stop.length > 0 ? stop : undefined;
}

function renderOutput({ format }: TextRequest, effort: string | undefined, losses: Losses): JsonObject | undefined {
  if (format === undefined) return effort === undefined ? undefined : { effort };
  if (format.kind === "json") throw cannotSay("format", "The vendor of this model gives JSON by a schema only.");
  losses.noteIf("format.name", format.name);
  losses.noteIf("format.description", format.description);
  losses.noteIf("format.strict", format.strict);
  return present({ effort, format: { type: "json_schema", schema: format.schema } });
}

function renderTier({ serviceTier }: TextRequest, losses: Losses): string | undefined {
  if (serviceTier === "auto") return serviceTier;
  if (serviceTier === "default" || serviceTier === "standard_only") return "standard_only";
  losses.noteIf("serviceTier", serviceTier);
  return undefined;
}
