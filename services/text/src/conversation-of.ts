import { createHash, type Hash } from "node:crypto";
import type { Conversation } from "@modelgate/relay";
import { isRecord } from "@modelgate/formats/json";
import { unstableMembers, type Dialogue } from "@modelgate/wires/text";

/** Maximum characters of a conversation's beginning from which its id is computed. */
const maxCharacters = 16 * 1024;

/**
 * Derives the ids by which a conversation is recognized in later requests: from the client's name for it, otherwise
 * from its first messages. Undefined if the request has neither.
 */
export function conversationOf({
  name,
  user,
  instructions,
  opening,
  isAnswered,
  answer,
}: Dialogue): Conversation | undefined {
  if (name !== undefined) {
    const nameDigest = new HashedText().add("named").add(name).digest();
    return { namesToFind: [nameDigest], nameToStore: nameDigest };
  }
  if (opening.length === 0) return undefined;
  const startHash = (): HashedText => new HashedText().add(user).add(instructions).add(opening);
  const first = startHash().digest();
  if (!isAnswered) return { namesToFind: [], nameToStore: first };
  const answerDigest = startHash().add("answered").add(answer).digest();
  return { namesToFind: [answerDigest, first], nameToStore: answerDigest };
}

/** Hashes the strings in values, in order. Nesting, numbers and unstable members do not change the hash. */
class HashedText {
  readonly #hash: Hash = createHash("sha256");
  #charactersLeft = maxCharacters;

  add(value: unknown): this {
    this.#walk(value);
    this.#hash.update("\0\0");
    return this;
  }

  digest(): string {
    return this.#hash.digest("base64url");
  }

  #walk(value: unknown): void {
    if (this.#charactersLeft <= 0) return;
    this.#charactersLeft--;
    if (typeof value === "string") {
      this.#hash.update(value.slice(0, this.#charactersLeft)).update("\0");
      this.#charactersLeft -= value.length;
    } else if (Array.isArray(value)) {
      for (const item of value) this.#walk(item);
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) if (!unstableMembers.has(name)) this.#walk(member);
    }
  }
}
