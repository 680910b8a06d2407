import { memberOf } from "../checks/members.ts";
import { Refusal } from "../checks/refusal.ts";
import { freshId } from "../core/ids.ts";
import { createVendor, headerOf, isBadKey, type Endpoint, type Vendor } from "../vendor.ts";
import { renderError, requestIdHeader } from "./errors.ts";
import { openCount, openMessages } from "./open.ts";

const messages: Endpoint = {
  method: "POST",
  path: /^\/v1\/messages$/,
  open: ({ body, headers }) => openMessages(body, headers, memberOf(body, "stream") === true),
};

const countTokens: Endpoint = {
  method: "POST",
  path: /^\/v1\/messages\/count_tokens$/,
  open: ({ body, headers }) => openCount(body, headers),
};

/** Any date, because new SDKs send new versions. */
const version = /^\d{4}-\d\d-\d\d$/;

export const anthropic: Vendor = createVendor({
  prefix: "/anthropic",
  endpoints: [messages, countTokens],
  authenticate({ headers }) {
    const key = headerOf(headers, "x-api-key");
    if (key === "") throw new Refusal(401, "The header x-api-key is required.");
    if (isBadKey(key)) throw new Refusal(401, "The x-api-key is not a valid one.");
    if (!version.test(headerOf(headers, "anthropic-version")))
      throw new Refusal(400, "The header anthropic-version is required; it is a date such as 2023-06-01.");
    return key;
  },
  headers: () => ({ [requestIdHeader]: freshId("req_") }),
  renderError,
});
