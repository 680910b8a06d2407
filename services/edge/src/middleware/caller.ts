import type { IncomingMessage } from "node:http";
import type { Token } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { contextOf } from "../request-context.ts";
import type { TokenCache } from "../token-cache.ts";

/** Whose key it is. Unknown, disabled and expired keys each have a message of their own, all as 401. */
export function caller(tokens: TokenCache): (request: IncomingMessage) => void | Promise<void> {
  return (request) => {
    const context = contextOf(request);
    const found = tokens.find(context.digest ?? "");
    const keep = (token: Token | undefined): void => {
      context.token = usable(token);
      if (token?.settingsId !== undefined && context.endpoint?.area !== "realtime")
        throw new Failure("invalid_api_key", "A client secret opens realtime sessions, and does nothing else.");
    };
    return found instanceof Promise ? found.then(keep) : keep(found);
  };
}

function usable(token: Token | undefined): Token {
  if (token === undefined) throw new Failure("invalid_api_key", "This API key is not known.");
  if (token.disabled) throw new Failure("api_key_disabled");
  if (token.expiresAt !== undefined && Date.parse(token.expiresAt) <= Date.now())
    throw new Failure("api_key_expired", `This API key expired at ${token.expiresAt}.`);
  return token;
}
