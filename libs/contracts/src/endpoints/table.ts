import type { Area, Endpoint } from "./endpoint.ts";
import { mediaEndpoints } from "./media.ts";
import { modelEndpoints, moneyEndpoints } from "./models.ts";
import { textEndpoints } from "./text.ts";
import { unimplementedEndpoints } from "./unimplemented.ts";
import { videoEndpoints } from "./video.ts";

/** All endpoints by name: the only list of routes. Edge, services, OpenAPI, docs and tests read it. */
export const endpoints = {
  ...modelEndpoints,
  ...moneyEndpoints,
  ...textEndpoints,
  ...mediaEndpoints,
  ...videoEndpoints,
  ...unimplementedEndpoints,
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof endpoints;

/** Names of the endpoints that an area's service answers; a missing handler is a compile error. */
export type AreaEndpointId<A extends Area, Table extends Readonly<Record<string, Endpoint>> = typeof endpoints> = {
  [Id in keyof Table]: Table[Id]["area"] extends A ? Id : never;
}[keyof Table];

/** Returns the row of an endpoint, typed so that optional columns can be read. */
export function endpointOf(id: EndpointId): Endpoint {
  return endpoints[id];
}

/** Names of all endpoints. */
export const endpointIds: readonly EndpointId[] = Object.keys(endpoints).filter(
  (id): id is EndpointId => id in endpoints,
);

/** Path of sessions in the live format. */
const live = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

/** Alias prefixes of paths, and the prefixes of the interface that they stand for; the rest of the path is equal. */
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
  // Google's SDK adds a slash after the base address.
  { alias: "//ws/", path: "/ws/" },
  { alias: "/ws/google.ai.generativelanguage.v1.", path: "/ws/google.ai.generativelanguage.v1beta." },
  { alias: "/ws/google.ai.generativelanguage.v1alpha.", path: "/ws/google.ai.generativelanguage.v1beta." },
  { alias: "/ws/google.cloud.aiplatform.v1.LlmBidiService/BidiGenerateContent", path: live },
  { alias: "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent", path: live },
] as const;

/** Alias of model actions in the Gemini format, which newer SDKs call under `/v1`. */
export const actionAlias = { alias: "/v1/models/{model}:", path: "/v1beta/models/{model}:" } as const;

/**
 * Prefix of Azure's clients, which name the model in the path as a deployment. It takes precedence over a model in the
 * body.
 */
export const deploymentAlias = { alias: "/openai/deployments/{deployment}/", path: "/v1/" } as const;

/** Returns the name of an endpoint in usage events: `POST /v1/chat/completions`. */
export function endpointLabel(id: EndpointId): string {
  return `${endpoints[id].method} ${endpoints[id].path}`;
}
