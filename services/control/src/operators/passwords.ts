import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Failure } from "@modelgate/contracts";

/** OWASP's recommended parameters of Argon2id. */
const hashCost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const [saltBytes, hashBytes] = [16, 32];
const [minCharacters, maxCharacters] = [12, 200];
/** Maximum concurrent hashes. Further sign-ins are refused. */
const maxAtOnce = 8;

const derive = promisify(argon2);
let runningHashes = 0;

/** Hashes a new password as a PHC string. Throws Failure for a bad length. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < minCharacters || password.length > maxCharacters)
    throw new Failure("invalid_value", `password must have ${minCharacters} to ${maxCharacters} characters.`, {
      param: "password",
    });
  const salt = randomBytes(saltBytes);
  const hash = await computeHash(password, salt, hashCost);
  const { memory, passes, parallelism } = hashCost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Hash that no password matches. It is compared for unknown operators, so that a sign-in takes as long as for known ones. */
const noPassword = `$argon2id$v=19$m=${hashCost.memory},t=${hashCost.passes},p=${hashCost.parallelism}$${base64(Buffer.alloc(saltBytes))}$${base64(Buffer.alloc(hashBytes))}`;

/** Returns whether a password matches a hash. Without a hash, takes as long as with one. */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const shape = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;
  const [, memory, passes, parallelism, salt = "", hash = ""] = shape.exec(stored ?? noPassword) ?? [];
  if (memory === undefined || password.length > maxCharacters) return false;
  const computed = await computeHash(password, Buffer.from(salt, "base64"), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(computed, Buffer.from(hash, "base64")) && stored !== undefined;
}

async function computeHash(
  message: string,
  nonce: Buffer,
  { memory, passes, parallelism }: { memory: number; passes: number; parallelism: number },
): Promise<Buffer> {
  if (runningHashes >= maxAtOnce)
    throw new Failure("server_overloaded", "Too many sign-ins at the moment; try again shortly.", {
      retryAfterSeconds: 1,
    });
  runningHashes++;
  try {
    return await derive("argon2id", { message, nonce, parallelism, tagLength: hashBytes, memory, passes });
  } finally {
    runningHashes--;
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("=", "");
}
