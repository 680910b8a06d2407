import { Refusal } from "../../checks/refusal.ts";
import type { SocketVendor } from "../../sockets/socket-vendor.ts";
import { bearerOf, headerOf, isBadKey } from "../../vendor.ts";
import { renderError } from "../errors.ts";
import { RealtimeConversation } from "./conversation.ts";
import { failureEvent } from "./response.ts";

/** Sessions at OpenAI's and at Azure's addresses. */
export const openaiRealtime: SocketVendor = {
  accepts: (path) => /^\/openai(\/v1)?\/realtime$/.test(path),
  authenticate({ headers, query, path }) {
    const key = headerOf(headers, "api-key") || bearerOf(headers);
    if (key === "" || isBadKey(key))
      throw new Refusal(401, "The API key is not a valid one.", { code: "invalid_api_key" });
    const model = query.get(path.endsWith("/v1/realtime") ? "model" : "deployment");
    if (model === null) throw new Refusal(400, "You must provide a model parameter.", { code: "missing_model" });
    // Only preview models accept the older format.
    if (headerOf(headers, "openai-beta") !== "" && !model.includes("preview"))
      throw new Refusal(400, "The beta form is not spoken by this model.", { code: "beta_api_shape_disabled" });
  },
  renderError,
  converse: (peer, call) => new RealtimeConversation(peer, call),
  failure: failureEvent,
};
