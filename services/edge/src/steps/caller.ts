import { requireAllowedAddress, requireUsable, type Token } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { clientAddress } from "@modelgate/platform";
import { contextOf, type Step } from "../request-context.ts";
import type { TokenCache } from "../token-cache.ts";

/**
 * Finds the record of an API key. Refuses unusable keys, client addresses that the key does not allow, and client
 * secrets outside of realtime.
 */
export function identifyCaller(tokens: TokenCache, proxies: number): Step {
  return (request, _response, next) => {
    const context = contextOf(request);
    const foundToken = tokens.find(context.digest ?? "");
    const setToken = (token: Token | undefined): void => {
      if (token !== undefined) context.token = token; // set here, so that refusals of this token are recorded too
      requireUsable(token);
      const { allowedAddresses, settingsId } = token;
      if ((allowedAddresses ?? settingsId) !== undefined) context.clientAddress = clientAddress(request, proxies);
      if (allowedAddresses !== undefined) requireAllowedAddress(allowedAddresses, context.clientAddress ?? "");
      if (settingsId !== undefined && context.endpoint?.area !== "realtime")
        throw new Failure("invalid_api_key", "A client secret can only open realtime sessions.");
      next();
    };
    return foundToken instanceof Promise ? foundToken.then(setToken) : setToken(foundToken);
  };
}
