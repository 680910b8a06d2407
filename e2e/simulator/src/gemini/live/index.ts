import type { SocketVendor } from "../../sockets/socket-vendor.ts";
import { admitKey } from "../admit-key.ts";
import { errorOf } from "../errors.ts";
import { LiveConversation } from "./conversation.ts";
import { clientMessages } from "./shape.ts";

/** Sessions of Gemini's live models. Like the real vendor, they use binary frames. */
export const geminiLive: SocketVendor = {
  binary: true,
  accepts: (path) =>
    /^\/gemini\/ws\/google\.ai\.generativelanguage\.v1(alpha|beta)?\.GenerativeService\.BidiGenerateContent$/.test(
      path,
    ),
  authenticate: admitKey,
  renderError: errorOf,
  converse: (peer, call) => new LiveConversation(peer, call, clientMessages.gemini),
  failure: () => undefined,
};
