import type { SocketVendor } from "../../sockets/socket-vendor.ts";
import { Refusal } from "../../checks/refusal.ts";
import { bearerOf, isBadKey } from "../../vendor.ts";
import { renderError } from "../errors.ts";
import { LiveConversation, liveFailure } from "./conversation.ts";

/** Sessions of GPT-Live. */
export const openaiLive: SocketVendor = {
  accepts: (path) => path === "/openai/v1/live/sessions",
  authenticate({ headers, query }) {
    const key = bearerOf(headers);
    if (key === "" || isBadKey(key))
      throw new Refusal(401, "The API key is not a valid one.", { code: "invalid_api_key" });
    if (query.has("model"))
      throw new Refusal(400, "The model is part of session.start.", { code: "unknown_parameter", path: ["model"] });
  },
  renderError,
  converse: (peer, call) => new LiveConversation(peer, call),
  failure: liveFailure,
};
