import type { Provider } from "../provider.ts";
import { requestsAt } from "../request.ts";
import { failureOf } from "./failures.ts";

/** The version that is asked for where the client named none. */
const version = "2023-06-01";

/** Anthropic, and every vendor that speaks the messages wire under another base URL. */
export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic",
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  pricesAs: "anthropic",
  modelsAt: "/v1/models",
  wires: ["messages", "count-messages"],
  request: requestsAt(
    ({ baseUrl, wire }) =>
      new URL(`${baseUrl.replace(/\/+$/, "")}/v1/messages${wire === "count-messages" ? "/count_tokens" : ""}`),
    ({ key }) => ({ "x-api-key": key, "anthropic-version": version }),
  ),
  failureOf,
};
