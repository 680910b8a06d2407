import { Refusal } from "../checks/refusal.ts";
import { errorOf } from "../gemini/errors.ts";
import { LiveConversation } from "../gemini/live/conversation.ts";
import { clientMessages } from "../gemini/live/shape.ts";
import type { SocketVendor } from "../sockets/socket-vendor.ts";
import { bearerOf, isBadKey } from "../vendor.ts";
import { problemOfToken } from "./account.ts";

/** Sessions of Gemini's live models in a Google Cloud project. */
export const vertexLive: SocketVendor = {
  binary: true,
  accepts: (path) =>
    /^\/vertex\/ws\/google\.cloud\.aiplatform\.v1(beta1)?\.LlmBidiService\/BidiGenerateContent$/.test(path),
  authenticate({ headers, behaviour }) {
    const token = bearerOf(headers);
    if (token === "" || isBadKey(token))
      throw new Refusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token.");
    if (!token.startsWith("eyJ")) return;
    const problem = problemOfToken(token, Date.now() + (behaviour.clockOffMs ?? 0));
    if (problem !== undefined) throw new Refusal(401, problem);
  },
  renderError: errorOf,
  converse: (peer, call) => new LiveConversation(peer, call, clientMessages.vertex),
  failure: () => undefined,
};
