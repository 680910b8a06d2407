import { present } from "@modelgate/contracts";
import type { Rendered, Target } from "../hub/codec.ts";
import { cachedBy } from "../hub/prompt-cache.ts";
import { effortOf } from "../hub/effort.ts";
import { unsupportedFailure, unsupportedFields } from "../hub/field-support.ts";
import { withoutForeignSearches } from "../hub/foreign-searches.ts";
import { Unsupported } from "../hub/unsupported.ts";
import type { JsonObject, RequestField, TextRequest } from "../hub/request.ts";
import { fieldSupport } from "./field-support.ts";
import { refusesUnknownFields } from "../hub/followers-members.ts";
import { takesNewestFields } from "./models.ts";
import { renderTurns } from "./render-turns.ts";
import { renderTools } from "./render-tools.ts";

/** Stop sequences that the wire takes. */
const mostStops = 4;

/**
 * The request for a vendor of this wire. A stream is always asked for its usage: the bill needs it, and the writer
 * hides it from a client that did not ask. Throws Failure unsupported_parameter for what the wire cannot say.
 */
export function renderRequest(asked: TextRequest, { model }: Target): Rendered {
  const unsupported = new Unsupported();
  const request = withoutForeignSearches(cachedBy(model, asked), "chat", unsupported);
  for (const field of unsupportedFields(request, fieldSupport)) unsupported.note(field);
  if ((request.stop?.length ?? 0) > mostStops) throw unsupportedFailure("stop", `At most ${mostStops} stop sequences.`);
  const body = present({
    model,
    messages: renderTurns(request, model, unsupported),
    stream: request.stream ? true : undefined,
    stream_options: request.stream ? { include_usage: true } : undefined,
    ...renderTools(request, model, unsupported),
    ...renderMaxTokens(request, model),
    stop: request.stop,
    response_format: renderFormat(request),
    reasoning_effort: request.reasoning === undefined ? undefined : effortOf(request.reasoning),
    temperature: request.temperature,
    top_p: request.topP,
    top_k: refused(model, "topK", request.topK, unsupported),
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    seed: request.seed,
    n: request.choices,
    ...renderProbabilities(request),
    logit_bias: request.logitBias,
    ...renderOutput(request),
    verbosity: request.verbosity,
    prompt_cache_key: request.cacheKey,
    prompt_cache_retention: request.cacheRetention,
    metadata: refused(model, "metadata", request.metadata, unsupported),
    user: request.user,
    safety_identifier: request.safetyIdentifier,
    service_tier: request.serviceTier,
    prediction: request.prediction,
  });
  return { body, dropped: unsupported.words };
}

/** The wire's own vendor takes only the newer name for its thinking models; most of its followers only the older. */
function renderMaxTokens({ maxTokens }: TextRequest, model: string): JsonObject {
  return takesNewestFields(model) ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens };
}

/** The wire's own vendor knows no `top_k`, and takes `metadata` only with answers that it stores, which we never ask. */
function refused<Value>(model: string, field: RequestField, value: Value, unsupported: Unsupported): Value | undefined {
  if (!refusesUnknownFields(model)) return value;
  unsupported.noteIf(field, value);
  return undefined;
}

function renderFormat({ format }: TextRequest): JsonObject | undefined {
  if (format === undefined) return undefined;
  if (format.kind === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: present({ name: name ?? "answer", description, schema, strict }) };
}

/** Zero alternatives are the vendor's default, and refused by some where said. */
function renderProbabilities({ logProbabilities }: TextRequest): JsonObject {
  if (logProbabilities === undefined) return {};
  const { alternatives } = logProbabilities;
  return { logprobs: true, top_logprobs: alternatives === 0 ? undefined : alternatives };
}

/** Speech needs a format on this wire; a stream's can be `pcm16` only. */
function renderOutput({ modalities, audio, image, stream }: TextRequest): JsonObject {
  return {
    modalities,
    audio: audio === undefined ? undefined : { format: stream ? "pcm16" : "wav", ...audio },
    image_config:
      image === undefined ? undefined : present({ aspect_ratio: image.aspectRatio, image_size: image.size }),
  };
}
