import { CredentialsFailed, reasonOf } from "../signing.ts";

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A parsed key of a channel. */
export type AwsKey =
  /** AWS's default credential chain: environment, profile, web identity, or the role of the pod or machine. */
  | { readonly kind: "chain"; readonly profile: string | undefined }
  | { readonly kind: "signing"; readonly credentials: AwsCredentials }
  /** A Bedrock API key. */
  | { readonly kind: "bearer"; readonly token: string };

/** Key that selects AWS's default credential chain. A profile may follow: `aws:PROFILE`. */
export const chainKey = "aws";
const signingKey = /^((?:AKIA|ASIA)[A-Z0-9]{12,124}):([^:]+)(?::(.+))?$/;

/** Parses a key: `aws`, `aws:PROFILE`, `ACCESS:SECRET`, `ACCESS:SECRET:SESSION`, or a Bedrock API key. */
export function readKey(key: string): AwsKey {
  const [, chain] =
    new RegExp(`^${chainKey}(?::(.+))?$`).exec(key) === null ? [] : [key, key.slice(chainKey.length + 1)];
  if (chain !== undefined) return { kind: "chain", profile: chain === "" ? undefined : chain };
  const [, accessKeyId, secretAccessKey, sessionToken] = signingKey.exec(key) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { kind: "bearer", token: key };
  return { kind: "signing", credentials: { accessKeyId, secretAccessKey, sessionToken } };
}

/** Returns the current credentials. They are renewed before they expire. */
type Chain = () => Promise<AwsCredentials>;

/** Maximum number of profiles whose chains are cached. */
const maxChains = 64;

/** Creates a function that returns the credentials of a profile. It rejects with CredentialsFailed. */
export function openChains(): (profile: string | undefined) => Promise<AwsCredentials> {
  const chains = new Map<string, Promise<Chain>>();
  return async (profile) => {
    const name = profile ?? "";
    if (chains.size >= maxChains && !chains.has(name)) chains.clear();
    const chain = chains.get(name) ?? openChain(profile);
    chains.set(name, chain);
    try {
      return await (
        await chain
      )();
    } catch (cause) {
      const message = `AWS credentials are not available${profile === undefined ? "" : ` for the profile ${profile}`}`;
      throw new CredentialsFailed(`${message}: ${reasonOf(cause)}`, { cause });
    }
  };
}

/** Amazon's packages are loaded only in processes that need them. */
async function openChain(profile: string | undefined): Promise<Chain> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  return defaultProvider(profile === undefined ? {} : { profile });
}
