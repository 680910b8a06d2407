import { present } from "@modelgate/contracts";
import type { AuthClient, ExternalAccountClientOptions, JWTInput } from "google-auth-library";
import { CredentialsFailed, reasonOf } from "../signing.ts";

/**
 * Key that selects Google's chain of credential sources: a file that the environment names, or the account of the pod
 * or machine.
 */
export const chainKey = "google";
const scope = "https://www.googleapis.com/auth/cloud-platform";

/** Maximum number of accounts with cached tokens. */
const maxAccounts = 64;

/** Returns true if a key is a credentials file: of a service account, or of an external workload's identity. */
function isDocument(key: string): boolean {
  return key.startsWith("{");
}

/** Describes why a text is not a valid key, without repeating it. */
export function keyProblem(key: string): string | undefined {
  if (!isDocument(key)) return /^[\x21-\x7e]+$/.test(key) ? undefined : "holds what no header can carry";
  return documentIn(key) === undefined
    ? "is no file of Google's credentials: JSON whose type is service_account or external_account"
    : undefined;
}

type Document = JWTInput | ExternalAccountClientOptions;

/** Returns the credentials in a key; undefined where it has none. */
function documentIn(key: string): Document | undefined {
  try {
    const document: unknown = JSON.parse(key);
    return isCredentials(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

const serviceAccount = "service_account";
const externalAccount = "external_account";

/** Checks the type only: Google's package reports every other error in a file. */
function isCredentials(document: unknown): document is Document {
  if (typeof document !== "object" || document === null || !("type" in document)) return false;
  return document.type === serviceAccount || document.type === externalAccount;
}

function isExternal(document: Document): document is ExternalAccountClientOptions {
  return document.type === externalAccount;
}

/** Opens a process's accounts. Access tokens are cached, and renewed some minutes before they expire. */
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
      // An account that failed to open is opened again, since its file may appear later.
      accounts.delete(key);
      throw new CredentialsFailed(`Google's credentials cannot be had: ${reasonOf(cause)}`, { cause });
    }
  };
}

/** Returns the project that an address names. */
const projectIn = ({ pathname }: URL): string => /\/projects\/([^/]+)/.exec(pathname)?.[1] ?? "";

/** Loads Google's package only in processes that call Vertex. */
async function openAccount(key: string, url: URL): Promise<AuthClient> {
  const { ExternalAccountClient, GoogleAuth, JWT } = await import("google-auth-library");
  // Set, so that the package does not fetch it from a service that a workload's identity may not access.
  const projectId = projectIn(url);
  if (key === chainKey) return await new GoogleAuth({ scopes: scope, projectId }).getClient();
  const document = documentIn(key) ?? {};
  if (isExternal(document)) {
    const client = ExternalAccountClient.fromJSON(document);
    if (client === null) throw new Error("the file is of no known identity");
    client.scopes = [scope];
    return client;
  }
  const { client_email: email, private_key: secret, private_key_id: keyId } = document;
  if (email === undefined || secret === undefined) throw new Error("the file has no client_email or no private_key");
  const account = new JWT(present({ email, key: secret, scopes: scope, keyId }));
  // The account signs its tokens itself, without a request to another service.
  account.useJWTAccessWithScope = true;
  return account;
}
