import { withoutUndefined } from "@modelgate/contracts";
import type { AuthClient, ExternalAccountClientOptions, JWTInput } from "google-auth-library";
import { CredentialsFailed, reasonOf } from "../signing.ts";

/**
 * Key that selects Google's Application Default Credentials: a credentials file, or the service account of the pod or
 * machine.
 */
export const chainKey = "google";
const scope = "https://www.googleapis.com/auth/cloud-platform";

/** Maximum number of accounts whose tokens are cached. */
const maxAccounts = 64;

function isDocument(key: string): boolean {
  return key.startsWith("{");
}

/** Describes why a text is not a valid key, without quoting it. */
export function keyProblem(key: string): string | undefined {
  if (!isDocument(key))
    return /^[\x21-\x7e]+$/.test(key) ? undefined : "contains characters that are not allowed in a header";
  return parseDocument(key) === undefined
    ? "is not a Google credentials file: JSON whose type is service_account or external_account"
    : undefined;
}

type Document = JWTInput | ExternalAccountClientOptions;

function parseDocument(key: string): Document | undefined {
  try {
    const document: unknown = JSON.parse(key);
    return isCredentials(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

const serviceAccount = "service_account";
const externalAccount = "external_account";

/** Checks only the type, because Google's package reports every other error in a document. */
function isCredentials(document: unknown): document is Document {
  if (typeof document !== "object" || document === null || !("type" in document)) return false;
  return document.type === serviceAccount || document.type === externalAccount;
}

function isExternal(document: Document): document is ExternalAccountClientOptions {
  return document.type === externalAccount;
}

/** Creates a function that returns the authorization headers of a key. It rejects with CredentialsFailed. */
export function openAccounts(): (key: string, url: URL) => Promise<Readonly<Record<string, string>>> {
  const accounts = new Map<string, Promise<AuthClient>>();
  return async (key, url) => {
    if (key !== chainKey && !isDocument(key))
      return key.startsWith("AIza") ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
    if (accounts.size >= maxAccounts && !accounts.has(key)) accounts.clear();
    const account = accounts.get(key) ?? openAccount(key, url);
    accounts.set(key, account);
    try {
      return Object.fromEntries((await (await account).getRequestHeaders(url.href)).entries());
    } catch (cause) {
      // At the next call, the file with the credentials may exist.
      accounts.delete(key);
      throw new CredentialsFailed(`Google credentials are not available: ${reasonOf(cause)}`, { cause });
    }
  };
}

const projectIn = ({ pathname }: URL): string => /\/projects\/([^/]+)/.exec(pathname)?.[1] ?? "";

/** Google's package is loaded only in processes that call Vertex. */
async function openAccount(key: string, url: URL): Promise<AuthClient> {
  const { ExternalAccountClient, GoogleAuth, JWT } = await import("google-auth-library");
  // Otherwise, the package would fetch the project from a service that the workload may not access.
  const projectId = projectIn(url);
  if (key === chainKey) return await new GoogleAuth({ scopes: scope, projectId }).getClient();
  const document = parseDocument(key) ?? {};
  if (isExternal(document)) {
    const client = ExternalAccountClient.fromJSON(document);
    if (client === null) throw new Error("the file has an unknown type of credentials");
    client.scopes = [scope];
    return client;
  }
  const { client_email: email, private_key: secret, private_key_id: keyId } = document;
  if (email === undefined || secret === undefined) throw new Error("the file has no client_email or no private_key");
  const account = new JWT(withoutUndefined({ email, key: secret, scopes: scope, keyId }));
  // The account signs its tokens itself, without a request to Google.
  account.useJWTAccessWithScope = true;
  return account;
}
