import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from "node:crypto";

interface Account {
  readonly publicKey: KeyObject;
  readonly file: Readonly<Record<string, string>>;
}

let cachedAccount: Account | undefined;

/** Returns the service account of this process: its file in Google's form, and its public key. */
export function serviceAccount(): Account {
  if (cachedAccount !== undefined) return cachedAccount;
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  cachedAccount = {
    publicKey: createPublicKey(publicKey),
    file: {
      type: "service_account",
      project_id: "simulated",
      private_key_id: "simulated-key",
      private_key: privateKey,
      client_email: "gate@simulated.iam.gserviceaccount.com",
    },
  };
  return cachedAccount;
}

/** Returns the problem of a self-signed token; undefined if it is valid. */
export function problemOfToken(token: string, now: number): string | undefined {
  const [head = "", claims = "", signature = ""] = token.split(".");
  const { publicKey, file } = serviceAccount();
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url"))) return "Invalid JWT Signature.";
  const claimed: unknown = JSON.parse(Buffer.from(claims, "base64url").toString());
  const { iss, exp, scope }: { iss?: unknown; exp?: unknown; scope?: unknown } =
    typeof claimed === "object" && claimed !== null ? claimed : {};
  if (iss !== file["client_email"]) return "The account is not known.";
  if (typeof exp !== "number" || exp * 1_000 < now) return "The token has expired.";
  return scope === "https://www.googleapis.com/auth/cloud-platform" ? undefined : "The scope is not sufficient.";
}
