import type { SigningCall } from "./call.ts";
import type { Provider } from "./provider.ts";
import type { VendorRequest } from "./request.ts";

/** Thrown if there are no credentials to sign with, or they could not be fetched. The message contains no secret. */
export class CredentialsFailed extends Error {
  override readonly name = "CredentialsFailed";
}

/** Finishes a request of a provider. Rejects with CredentialsFailed. */
export async function signed<Request extends VendorRequest>(
  provider: Pick<Provider, "sign">,
  request: Request,
  call: SigningCall,
): Promise<Request> {
  if (provider.sign === undefined) return request;
  return { ...request, headers: { ...request.headers, ...(await provider.sign(request, call)) } };
}

/** A cause's first line, for CredentialsFailed. */
export function reasonOf(cause: unknown): string {
  const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return line.slice(0, maxReason);
}

const maxReason = 300;
