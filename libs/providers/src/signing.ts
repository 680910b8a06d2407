import type { SigningCall } from "./call.ts";
import type { Provider } from "./provider.ts";
import type { VendorRequest } from "./request.ts";

/** Error: credentials are missing or could not be fetched. Its message contains no secret. */
export class CredentialsFailed extends Error {
  override readonly name = "CredentialsFailed";
}

/** Adds the headers of a provider's `sign` to a request. Rejects with CredentialsFailed. */
export async function signRequest<Request extends VendorRequest>(
  provider: Pick<Provider, "sign">,
  request: Request,
  call: SigningCall,
): Promise<Request> {
  if (provider.sign === undefined) return request;
  return { ...request, headers: { ...request.headers, ...(await provider.sign(request, call)) } };
}

/** Returns the first line of an error's message, shortened. */
export function reasonOf(cause: unknown): string {
  const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return line.slice(0, maxReasonCharacters);
}

const maxReasonCharacters = 300;
