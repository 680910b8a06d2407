import { Failure } from "@modelgate/contracts";
import { isRecord, type JsonRecord } from "@modelgate/wires/json";
import type { JsonObject } from "@modelgate/wires/text";
import { ownCompaction, summaryItem, type CompactionSeal } from "./compaction/compaction-seal.ts";
import type { RecordMemory } from "./record-reader.ts";
import { outputOf, type ResponseStore, type StoredResponse } from "./stored-response.ts";

/** Turns that one conversation may have, as it is built from references. */
const maxTurns = 2_000;

/** The turns before a request. */
export interface Earlier {
  readonly ids: readonly string[];
  readonly last: StoredResponse;
  /** All items of the conversation, in a form that any vendor takes. */
  readonly items: readonly JsonObject[];
}

/**
 * The conversation that a `previous_response_id` stands for. Throws Failure previous_response_not_found (400) where
 * it or a turn before it is unknown, another account's, or past its lifetime.
 */
export async function earlierTurns(
  store: Pick<ResponseStore, "find" | "findAll">,
  { accountId, previousId }: { readonly accountId: string; readonly previousId: string },
  memory: RecordMemory,
): Promise<Earlier> {
  const last = await store.find(accountId, previousId, memory);
  if (last === undefined) throw notFound(previousId);
  const { status } = last.response;
  if (status === "queued" || status === "in_progress")
    throw new Failure("invalid_value", "The previous response is not finished yet.", { param });
  if (last.ancestors.length >= maxTurns)
    throw new Failure("invalid_value", `The conversation has more than ${maxTurns} turns; compact it.`, { param });
  const before = await store.findAll(accountId, last.ancestors, memory);
  const turns = before.map((turn, at) => {
    if (turn === undefined) throw notFound(last.ancestors[at] ?? "");
    return turn;
  });
  const items = [...turns, last].flatMap((turn) => [...turn.input, ...outputOf(turn)].flatMap(resendable));
  return { ids: [...last.ancestors, previousId], last, items };
}

/** The items of an `input`, a bare text as the user's message. */
export function itemsOf(input: unknown): readonly JsonObject[] {
  if (typeof input === "string")
    return [{ type: "message", role: "user", content: [{ type: "input_text", text: input }] }];
  return Array.isArray(input) ? input.filter(isRecord) : [];
}

/** Items with compactions of ours opened. Throws Failure invalid_value (400) for one that is not this account's. */
export function openCompactions(
  seal: CompactionSeal,
  accountId: string,
  items: readonly JsonObject[],
): readonly JsonObject[] {
  return items.map((item, at) => {
    const sealed = ownCompaction(item);
    if (sealed === undefined) return item;
    const summary = seal.open(accountId, sealed);
    const path = `input[${at}].encrypted_content`;
    if (summary === undefined)
      throw new Failure("invalid_value", `${path} is not a compaction that this gateway made for this account.`, {
        param: path,
      });
    return summaryItem(summary);
  });
}

const param = "previous_response_id";

function notFound(id: string): Failure {
  return new Failure("previous_response_not_found", `Previous response with id ${JSON.stringify(id)} not found.`, {
    param,
  });
}

/** The id of an item that is only referred to, which may leave its type out; undefined for any other. */
export function referenceOf({ type, role, id }: JsonRecord): string | undefined {
  const refers = type === "item_reference" || ((type ?? undefined) === undefined && (role ?? undefined) === undefined);
  return refers && typeof id === "string" ? id : undefined;
}

/**
 * An item as it is sent again: ids mean something only where they were given, and thoughts that are not sealed
 * nowhere.
 */
export function resendable(item: JsonRecord): readonly JsonObject[] {
  if (referenceOf(item) !== undefined) return [item];
  if (item["type"] === "reasoning")
    return typeof item["encrypted_content"] === "string" ? [{ ...item, status: undefined }] : [];
  return [{ ...item, id: undefined, status: undefined }];
}
