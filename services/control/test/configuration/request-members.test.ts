import { expect, test } from "vitest";
import { stringify } from "yaml";
import { wires as images } from "@modelgate/wires/images";
import { wires as moderation } from "@modelgate/wires/moderation";
import { wires as ranking } from "@modelgate/wires/ranking";
import { wires as speech } from "@modelgate/wires/speech";
import { reasoningMembers, wires as text } from "@modelgate/wires/text";
import { wires as vectors } from "@modelgate/wires/vectors";
import { lineMembers, wires as video } from "@modelgate/wires/video";
import { parseConfiguration } from "../../src/configuration/read.ts";
import { isReservedMember } from "../../src/configuration/request-members.ts";

function problemsOf(more: object): readonly string[] {
  const channel = { id: "c", provider: "openai", keys: ["k"], models: ["m"], ...more };
  const file = { groups: {}, models: { m: { kind: "chat" } }, channels: [channel] };
  return (parseConfiguration(stringify(file)).problems ?? []).map(({ path, message }) => `${path} ${message}`);
}

test.each([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "maxTokens",
  "max_completion_tokens",
  "n",
  "tools",
  "web_search_options",
  "service_tier",
  "serviceTier",
  "speed",
  "fallbacks",
  "generationConfig",
  "max_output_tokens",
  "background",
  "best_of",
  "seconds",
  "size",
  "quality",
  "ratio",
  "mode",
  "width",
  "height",
  "generateAudio",
  "inference_geo",
  "parameters",
  "inferenceConfig",
  "input",
  "top_n",
  "dimensions",
  "options",
  "prompt",
  "system",
  "reasoningEffort",
  "output_config",
  "extra_body",
  "cache_control",
  "promptCacheRetention",
  "context_management",
  "prediction",
  "modalities",
  "SERVICE_TIER",
])("the member %s decides what a call does or costs, so no channel can set it", (name) => {
  for (const list of ["defaults", "force"])
    expect(problemsOf({ [list]: { [name]: 1 } })).toEqual([
      `channels[0].${list}.${name} cannot be set by a channel: it decides what a call does or what it costs`,
    ]);
});

test.each([
  "user",
  "metadata",
  "temperature",
  "provider",
  "safety_settings",
  "chat_template_kwargs",
  "response_format",
])("the member %s can be set", (name) => {
  expect(problemsOf({ defaults: { [name]: { any: ["value"] } }, force: { [name]: 1 } })).toEqual([]);
});

test.each([{ models: ["film"] }, { models: { film: "vendors-name" } }, { models: "*" }])(
  "metadata may hold a video's size, so no channel with %j can set it",
  ({ models }) => {
    const channel = { id: "c", provider: "openai", keys: ["k"], models, defaults: { Metadata: {} } };
    const file = { groups: {}, models: { m: { kind: "chat" }, film: { kind: "video" } }, channels: [channel] };
    const { problems } = parseConfiguration(stringify(file));
    expect(problems?.map(({ path }) => path)).toEqual(["channels[0].defaults.Metadata"]);
  },
);

/** Inspected members that a channel may set, because they do not change the action or the cost. */
const harmless = ["user", "response_format"];
interface CheckedWire {
  readonly client?: { readonly inspectedMembers?: readonly string[] | undefined } | undefined;
}

test("every member on which a wire of any kind relies for its price is reserved", () => {
  const relied = [images, moderation, ranking, speech, text, vectors, video]
    .flatMap((wires): readonly CheckedWire[] => Object.values(wires))
    .flatMap(({ client }) => client?.inspectedMembers ?? [])
    .map((name) => name.split(".")[0] ?? name);
  expect(relied.length).toBeGreaterThan(100);
  expect(relied.filter((name) => !harmless.includes(name) && !isReservedMember(name, false))).toEqual([]);
});

test("every member in which reasoning is requested is reserved", () => {
  expect(reasoningMembers.length).toBeGreaterThan(3);
  expect(reasoningMembers.filter((name) => !isReservedMember(name, false))).toEqual([]);
});

test("every member in which a resolution is read is reserved for video models", () => {
  expect(lineMembers.length).toBeGreaterThan(5);
  expect(lineMembers.filter((name) => !isReservedMember(name, true))).toEqual([]);
});
