import type { EndpointId } from "../endpoints/table.ts";
import { headers } from "../headers.ts";
import { maxTags } from "../tags.ts";

interface Parameter {
  readonly name: string;
  readonly in: "query" | "header";
  readonly required: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly description?: string;
}

const text = { type: "string" } as const;
const query = (name: string, schema: Parameter["schema"] = text, required = false): Parameter => ({
  name,
  in: "query",
  required,
  schema,
});
const pageSize = (max: number) => ({ type: "integer", minimum: 1, maximum: max });
const pageParameters = (max: number): readonly Parameter[] => [
  query("limit", pageSize(max)),
  query("after"),
  query("order", { enum: ["asc", "desc"] }),
];
const versionHeader = (required: boolean): Parameter => ({
  name: "alpha-version",
  in: "header",
  required,
  schema: text,
  description: "a date, as in 2023-06-01; also written anthropic-version",
});

export const billedEndpointParameters: readonly Parameter[] = [
  {
    name: headers.tags,
    in: "header",
    required: false,
    schema: text,
    description: `stored with the call, for usage by tag: team=search,feature=chat; at most ${maxTags}. It is not sent to vendors.`,
  },
];

/** Parameters of single endpoints, in addition to those for path, body and key. */
export const parametersOf: Readonly<Partial<Record<EndpointId, readonly Parameter[]>>> = {
  listModels: [
    versionHeader(false),
    query("limit", pageSize(1_000)),
    query("after_id"),
    query("before_id"),
    query("pageSize", pageSize(1_000)),
    query("pageToken"),
  ],
  getModel: [versionHeader(false)],
  listGammaModels: [query("pageSize", pageSize(1_000)), query("pageToken")],
  getResponse: [query("stream", { type: "boolean" }), query("starting_after", { type: "integer", minimum: 0 })],
  listResponseInputItems: pageParameters(100),
  listConversationItems: pageParameters(100),
  messages: [versionHeader(true)],
  countMessageTokens: [versionHeader(true)],
  streamGenerateContent: [query("alt", { enum: ["sse"] })],
  realtime: [query("model")],
  listVideos: pageParameters(100),
  getVideoContent: [query("variant", { enum: ["video", "thumbnail", "spritesheet"] })],
  epsilon: [
    query("Action", { enum: ["CVSync2AsyncSubmitTask", "CVSync2AsyncGetResult"] }, true),
    query("Version", text, true),
  ],
};
