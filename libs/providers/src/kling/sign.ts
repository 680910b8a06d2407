import { createHmac } from "node:crypto";

/** How long a token counts, and how far the vendor's clock may be behind ours, in seconds. */
const [countsFor, clockMargin] = [1_800, 5];

/** The vendor's token of a moment: a JWT by HS256 over the access key, signed with the secret key. */
export function klingToken(accessKey: string, secretKey: string, nowSeconds: number): string {
  const head = encoded({ alg: "HS256", typ: "JWT" });
  const claims = encoded({ iss: accessKey, exp: nowSeconds + countsFor, nbf: nowSeconds - clockMargin });
  const signature = createHmac("sha256", secretKey).update(`${head}.${claims}`).digest("base64url");
  return `${head}.${claims}.${signature}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
