import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import type { JsonObject } from "@modelgate/wires/text";
import { encryptedCompactionOf, summaryItem, type CompactionCipher } from "./compaction/compaction-cipher.ts";
import type { RecordMemory } from "./record-reader.ts";
import { outputOf, type ResponseStore, type StoredResponse } from "./stored-response.ts";

/** Maximum earlier turns of a conversation. */
const maxTurns = 2_000;

/** The stored turns that precede a request, oldest first. */
interface StoredTurns {
  readonly ids: readonly string[];
  readonly last: StoredResponse;
  /** All turns, including the last one. */
  readonly turns: readonly StoredResponse[];
}

/** The turns that precede a request for a response. */
export interface EarlierTurns extends StoredTurns {
  /** All items of the conversation, in a form that every vendor accepts. */
  readonly items: readonly JsonObject[];
}

/** Returns the conversation that `previous_response_id` refers to. Throws Failure as `readStoredTurns` does. */
export async function readEarlierTurns(
  store: Pick<ResponseStore, "find" | "findAll">,
  { accountId, previousId }: { readonly accountId: string; readonly previousId: string },
  memory: RecordMemory,
): Promise<EarlierTurns> {
  const earlier = await readStoredTurns(store, { accountId, previousId, param: "previous_response_id" }, memory);
  const items = earlier.turns.flatMap((turn) => [...turn.input, ...outputOf(turn)].flatMap(portableItems));
  return { ...earlier, items };
}

/**
 * Returns the stored turns up to the one that the field `param` names. Throws Failure (400), for example if one does
 * not exist.
 */
export async function readStoredTurns(
  store: Pick<ResponseStore, "find" | "findAll">,
  reference: { readonly accountId: string; readonly previousId: string; readonly param: string },
  memory: RecordMemory,
): Promise<StoredTurns> {
  const { accountId, previousId, param } = reference;
  const last = await store.find(accountId, previousId, memory);
  if (last === undefined) throw notFound(previousId, param);
  const { status } = last.response;
  if (status === "queued" || status === "in_progress")
    throw new Failure("invalid_value", "The previous response is not finished yet.", { param });
  if (last.ancestors.length >= maxTurns)
    throw new Failure("invalid_value", `The conversation has more than ${maxTurns} turns; compact it.`, { param });
  const before = await store.findAll(accountId, last.ancestors, memory);
  const turns = before.map((turn, index) => {
    if (turn === undefined) throw notFound(last.ancestors[index] ?? "", param);
    return turn;
  });
  return { ids: [...last.ancestors, previousId], last, turns: [...turns, last] };
}

/** Returns the items of an `input` field. A plain text becomes a user message. */
export function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === "string")
    return [{ type: "message", role: "user", content: [{ type: "input_text", text: input }] }];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

/** Replaces this gateway's compactions by their summaries. Throws Failure invalid_value (400). */
export function decryptCompactions(
  cipher: CompactionCipher,
  accountId: string,
  items: readonly JsonObject[],
): readonly JsonObject[] {
  return items.map((item, index) => {
    const encrypted = encryptedCompactionOf(item);
    if (encrypted === undefined) return item;
    const summary = cipher.decrypt(accountId, encrypted);
    const path = `input[${index}].encrypted_content`;
    if (summary === undefined)
      throw new Failure(
        "invalid_value",
        `${path} is not a compaction that this gateway made for this account with a secret that it accepts.`,
        {
          param: path,
        },
      );
    return summaryItem(summary);
  });
}

function notFound(id: string, param: string): Failure {
  return new Failure("previous_response_not_found", `Previous response with id ${JSON.stringify(id)} not found.`, {
    param,
  });
}

/** Returns the id that an item refers to; undefined for an item that is not just a reference. */
export function referenceOf({ type, role, id }: JsonRecord): string | undefined {
  const refers = type === "item_reference" || ((type ?? undefined) === undefined && (role ?? undefined) === undefined);
  return refers && typeof id === "string" ? id : undefined;
}

/**
 * Returns an item in a form that any vendor accepts: without its status and its id. A reference remains unchanged.
 * Reasoning keeps its id, and is removed if it has no content.
 */
export function portableItems(item: JsonRecord): readonly JsonObject[] {
  if (referenceOf(item) !== undefined) return [item];
  if (item["type"] === "reasoning")
    return typeof item["encrypted_content"] === "string" || hasReadableText(item)
      ? [{ ...item, status: undefined }]
      : [];
  return [{ ...item, id: undefined, status: undefined }];
}

/** Returns true if a reasoning item has text or a summary, which vendors other than OpenAI can use. */
function hasReadableText({ content, summary }: JsonRecord): boolean {
  return [content, summary].some((parts) => Array.isArray(parts) && parts.length > 0);
}
