import { createHash, type Hash } from "node:crypto";
import type { Conversation } from "@modelgate/relay";
import { isRecord } from "@modelgate/wires/json";
import { unsteadyMembers, type Dialogue } from "@modelgate/wires/text";

/** Maximum characters of a conversation's beginning that are hashed. */
const maxCharacters = 16 * 1024;

/**
 * Derives how a request's conversation is known again. The client's own name of it is enough; else the words before the
 * first answer, with whose they are, and from the second turn on with the first answer too, which distinguishes
 * conversations that begin alike. A request that only begins one looks for nothing: weights and turns decide
 * where it goes. Undefined for a request without turns.
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
    const named = new HashedWords().take("named").take(name).digest();
    return { find: [named], keep: named };
  }
  if (opening.length === 0) return undefined;
  const begun = (): HashedWords => new HashedWords().take(user).take(instructions).take(opening);
  const first = begun().digest();
  if (!isAnswered) return { find: [], keep: first };
  const own = begun().take("answered").take(answer).digest();
  return { find: [own, first], keep: own };
}

/** Hashes the words of values in their order, whatever holds them: a text and a list with one text are the same. */
class HashedWords {
  readonly #hash: Hash = createHash("sha256");
  #left = maxCharacters;

  take(value: unknown): this {
    this.#walk(value);
    this.#hash.update("\0\0");
    return this;
  }

  digest(): string {
    return this.#hash.digest("base64url");
  }

  #walk(value: unknown): void {
    if (this.#left <= 0) return;
    this.#left--;
    if (typeof value === "string") {
      this.#hash.update(value.slice(0, this.#left)).update("\0");
      this.#left -= value.length;
    } else if (Array.isArray(value)) {
      for (const item of value) this.#walk(item);
    } else if (isRecord(value)) {
      for (const [name, member] of Object.entries(value)) if (!unsteadyMembers.has(name)) this.#walk(member);
    }
  }
}
