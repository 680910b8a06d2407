import { Refusal } from "../../checks/refusal.ts";
import type { SocketVendor } from "../../sockets/socket-vendor.ts";
import { headerOf, isBadKey } from "../../vendor.ts";
import { errorOf, invalidKey } from "../errors.ts";
import { LiveConversation } from "./conversation.ts";
import { clientMessages } from "./shape.ts";

/** Sessions of Gemini's live models. Like the real vendor, they use binary frames. */
export const geminiLive: SocketVendor = {
  binary: true,
  accepts: (path) =>
    /^\/gemini\/ws\/google\.ai\.generativelanguage\.v1(alpha|beta)?\.GenerativeService\.BidiGenerateContent$/.test(
      path,
    ),
  authenticate({ headers, query }) {
    const key = headerOf(headers, "x-goog-api-key") || (query.get("key") ?? "");
    if (key === "") throw new Refusal(403, "A key is required: the header x-goog-api-key, or key in the address.");
    if (isBadKey(key)) throw new Refusal(400, "The API key is not a valid one.", { code: invalidKey });
  },
  renderError: errorOf,
  converse: (peer, call) => new LiveConversation(peer, call, clientMessages.gemini),
  failure: () => undefined,
};
