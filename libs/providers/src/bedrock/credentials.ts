import { CredentialsFailed, reasonOf } from "../signing.ts";

/** The credentials that sign a request. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A channel's key, parsed. */
export type AwsKey =
  /** The default AWS credential chain: environment, profile, web identity, and the role of the pod or machine. */
  | { readonly kind: "chain"; readonly profile: string | undefined }
  | { readonly kind: "signing"; readonly credentials: AwsCredentials }
  /** A Bedrock API key, sent unchanged. */
  | { readonly kind: "bearer"; readonly token: string };

/** Key that selects Amazon's chain of credential sources; a profile may follow: `aws:PROFILE`. */
export const chainKey = "aws";
const signingKey = /^((?:AKIA|ASIA)[A-Z0-9]{12,124}):([^:]+)(?::(.+))?$/;

/** Reads a key: `aws`, `aws:PROFILE`, `ACCESS:SECRET`, `ACCESS:SECRET:SESSION`, or a Bedrock API key. */
export function readKey(key: string): AwsKey {
  const [, chain] =
    new RegExp(`^${chainKey}(?::(.+))?$`).exec(key) === null ? [] : [key, key.slice(chainKey.length + 1)];
  if (chain !== undefined) return { kind: "chain", profile: chain === "" ? undefined : chain };
  const [, accessKeyId, secretAccessKey, sessionToken] = signingKey.exec(key) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) return { kind: "bearer", token: key };
  return { kind: "signing", credentials: { accessKeyId, secretAccessKey, sessionToken } };
}

/** Returns a chain's credentials, cached and renewed before they expire. */
type Chain = () => Promise<AwsCredentials>;

/** Maximum number of profiles with a cached chain. */
const maxChains = 64;

/** Opens the credential chains of a process: one per profile, loaded on first use. */
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
      const words = `AWS credentials cannot be had${profile === undefined ? "" : ` for the profile ${profile}`}`;
      throw new CredentialsFailed(`${words}: ${reasonOf(cause)}`, { cause });
    }
  };
}

/** Loads Amazon's packages only in processes that sign with a chain. */
async function openChain(profile: string | undefined): Promise<Chain> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  return defaultProvider(profile === undefined ? {} : { profile });
}
