import { present } from "@modelgate/contracts";
import type { AuthClient, ExternalAccountClientOptions, JWTInput } from "google-auth-library";
import { CredentialsFailed, reasonOf } from "../signing.ts";

/**
 * The key that means Google's chain of sources: a file that the environment names, or the account of the pod or
 * machine.
 */
export const chainKey = "google";
const scope = "https://www.googleapis.com/auth/cloud-platform";

/** Accounts whose tokens are kept. */
const maxAccounts = 64;

/** Returns whether a key is a file of credentials: of a service account, or of a workload's identity elsewhere. */
function isDocument(key: string): boolean {
  return key.startsWith("{");
}

/** Describes why a text is no key, without repeating it. */
export function keyProblem(key: string): string | undefined {
  if (!isDocument(key)) return /^[\x21-\x7e]+$/.test(key) ? undefined : "holds what no header can carry";
  return documentIn(key) === undefined
    ? "is no file of Google's credentials: JSON whose type is service_account or external_account"
    : undefined;
}

type Document = JWTInput | ExternalAccountClientOptions;

/** The credentials in a key; undefined where it holds none. */
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

/** Opens a process's accounts: their tokens are kept, and fetched anew some minutes before they expire. */
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
      // What could not be opened is opened anew: a file may have come meanwhile.
      accounts.delete(key);
      throw new CredentialsFailed(`Google's credentials cannot be had: ${reasonOf(cause)}`, { cause });
    }
  };
}

/** The project that an address names. */
const projectIn = ({ pathname }: URL): string => /\/projects\/([^/]+)/.exec(pathname)?.[1] ?? "";

/** Google's package is loaded by those processes alone that call Vertex. */
async function openAccount(key: string, url: URL): Promise<AuthClient> {
  const { ExternalAccountClient, GoogleAuth, JWT } = await import("google-auth-library");
  // Named, so that it is not fetched from a service that a workload's identity may have no access to.
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
  // It signs its tokens itself, without a request to another service.
  account.useJWTAccessWithScope = true;
  return account;
}
