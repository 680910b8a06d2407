import type { Area, Endpoint } from "./endpoint.ts";
import { mediaEndpoints } from "./media.ts";
import { modelEndpoints, moneyEndpoints } from "./models.ts";
import { textEndpoints } from "./text.ts";
import { unimplementedEndpoints } from "./unimplemented.ts";
import { videoEndpoints } from "./video.ts";

/** All endpoints by id. The edge, the services, OpenAPI, the documentation and tests read this list. */
export const endpoints = {
  ...modelEndpoints,
  ...moneyEndpoints,
  ...textEndpoints,
  ...mediaEndpoints,
  ...videoEndpoints,
  ...unimplementedEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof endpoints;

/** Ids of an area's endpoints. `AreaHandlers` requires a handler for each. */
export type AreaEndpointId<A extends Area, Table extends Readonly<Record<string, Endpoint>> = typeof endpoints> = {
  [Id in keyof Table]: Table[Id]["area"] extends A ? Id : never;
}[keyof Table];

/** Returns an endpoint as an `Endpoint`, whose optional fields can be read. */
export function endpointOf(id: EndpointId): Endpoint {
  return endpoints[id];
}

/** Ids of all endpoints, in the order of the table. */
export const endpointIds: readonly EndpointId[] = Object.keys(endpoints).filter(
  (id): id is EndpointId => id in endpoints,
);

const liveSessionPath = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

/** Prefixes of paths, and their replacements. */
export const pathAliases = [
  { alias: "/kling/v1/", path: "/delta/v1/" },
  { alias: "/jimeng/", path: "/epsilon/" },
  { alias: "/openai/v1/", path: "/v1/" },
  { alias: "/openai/", path: "/v1/" },
  { alias: "/anthropic/v1/", path: "/v1/" },
  { alias: "/v1beta/openai/", path: "/v1/" },
  { alias: "/api/v1/", path: "/v1/" },
  { alias: "/dashboard/billing/", path: "/v1/dashboard/billing/" },
  { alias: "/v1/auth/key", path: "/v1/key" },
  { alias: "/v1beta/interactions", path: "/v1/interactions" },
  { alias: "/v1beta2/interactions", path: "/v1/interactions" },
  // Google's SDK adds a slash after the base URL.
  { alias: "//ws/", path: "/ws/" },
  { alias: "/ws/google.ai.generativelanguage.v1.", path: "/ws/google.ai.generativelanguage.v1beta." },
  { alias: "/ws/google.ai.generativelanguage.v1alpha.", path: "/ws/google.ai.generativelanguage.v1beta." },
  { alias: "/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent", path: liveSessionPath },
  { alias: "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent", path: liveSessionPath },
] as const;

/** Alias for actions on a model in the Gemini format, which newer SDKs call under `/v1`. */
export const actionAlias = { alias: "/v1/models/{model}:", path: "/v1beta/models/{model}:" } as const;

/** Path prefix of Azure's clients. The deployment in the path takes precedence over a model in the body. */
export const deploymentAlias = { alias: "/openai/deployments/{deployment}/", path: "/v1/" } as const;

/** Returns the name of an endpoint in usage events, such as `POST /v1/chat/completions`. */
export function endpointLabel(id: EndpointId): string {
  return `${endpoints[id].method} ${endpoints[id].path}`;
}
