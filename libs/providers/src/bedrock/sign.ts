import { withoutUndefined } from "@modelgate/contracts";
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import type { SigningCall } from "../call.ts";
import type { VendorRequest } from "../request.ts";
import { CredentialsFailed } from "../signing.ts";
import { regionOf } from "./address.ts";
import { openChains, readKey, type AwsCredentials } from "./credentials.ts";

const service = "bedrock";
const credentialsOf = openChains();

/** Returns the headers of a SigV4 signature, or a Bedrock API key as a bearer token. Rejects with CredentialsFailed. */
export async function sign(
  request: VendorRequest,
  { baseUrl, key, nowMs }: SigningCall,
): Promise<Readonly<Record<string, string>>> {
  const parsed = readKey(key);
  if (parsed.kind === "bearer") return { authorization: `Bearer ${parsed.token}` };
  const region = regionOf(baseUrl);
  if (region === undefined) throw new CredentialsFailed("The address has no region to sign for.");
  const credentials = parsed.kind === "signing" ? parsed.credentials : await credentialsOf(parsed.profile);
  return await signatureFor(request, { region, credentials, nowMs });
}

/** Signs a request. It signs only headers that proxies do not change. */
async function signatureFor(
  { url, method, headers, body }: VendorRequest,
  options: { readonly region: string; readonly credentials: AwsCredentials; readonly nowMs: number },
): Promise<Readonly<Record<string, string>>> {
  const { SignatureV4 } = await import("@smithy/signature-v4");
  const { accessKeyId, secretAccessKey, sessionToken } = options.credentials;
  const signer = new SignatureV4({
    service,
    region: options.region,
    credentials: withoutUndefined({ accessKeyId, secretAccessKey, sessionToken }),
    sha256: Sha256,
  });
  const signedHeaders = { host: url.host, "content-type": headers["content-type"] ?? "application/json" };
  const request = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: {},
    headers: signedHeaders,
    body: Buffer.isBuffer(body) ? body : undefined,
  };
  const { host: _host, ...more } = (await signer.sign(request, { signingDate: new Date(options.nowMs) })).headers;
  return more;
}

/** SHA-256, or HMAC-SHA-256 with a secret, as the signer expects it. */
class Sha256 {
  readonly #open: () => Hash | Hmac;
  #state: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const key = secret === undefined ? undefined : bytesOf(secret);
    this.#open = () => (key === undefined ? createHash("sha256") : createHmac("sha256", key));
    this.#state = this.#open();
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#state.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#state.digest();
  }

  reset(): void {
    this.#state = this.#open();
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}
