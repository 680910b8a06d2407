import { createHash } from "node:crypto";
import { listAt, memberOf, textAt } from "../checks/members.ts";
import { wrongField } from "../checks/refusal.ts";
import type { Path } from "../checks/shape.ts";
import { makeOpaqueData } from "../core/opaque-data.ts";
import { withoutMarks } from "../core/prompt-cache.ts";
import { thinkingDataKind } from "./rules.ts";
import { blocksIn } from "./turns.ts";

/** Reasoning of these models is bound to the conversation before it. */
const boundModels = /claude-(?:fable-5-[12]|mythos-5-[12]|(?:opus|sonnet|haiku)-5-5)/;

/** Beta feature with which a request decides what happens to reasoning of another conversation. */
export const bindingBeta = "thinking-binding-controls-";

/** Signs the reasoning of the answer to a request. */
export function signThinking(body: unknown, thinking: string): string {
  const signature = makeOpaqueData(thinkingDataKind, thinking);
  const { length } = listAt(body, "messages");
  return isBound(body) ? `${signature}.${prefixOf(body, length)}` : signature;
}

/** Report about reasoning that was removed from a request. */
export interface RemovedThinking {
  readonly type: "thinking_dropped";
  readonly path: string;
  readonly reason: "prefix_binding_mismatch";
}

/**
 * Returns reports about reasoning of another conversation. Throws a Refusal if the request does not allow its removal.
 */
export function removedThinking(body: unknown): readonly RemovedThinking[] {
  if (!isBound(body)) return [];
  const binding = memberOf(memberOf(body, "thinking"), "block_binding");
  const foreign = foreignThinking(body);
  const [first] = foreign;
  if (first !== undefined && textAt(binding, "prefix_mismatch_behavior") !== "drop_block")
    throw wrongField(
      first,
      "Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or " +
        'set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    );
  return foreign.map((path) => ({ type: "thinking_dropped", path: path.join("."), reason: "prefix_binding_mismatch" }));
}

function isBound(body: unknown): boolean {
  return boundModels.test(textAt(body, "model") ?? "");
}

function foreignThinking(body: unknown): readonly Path[] {
  return listAt(body, "messages").flatMap((message, at) => {
    const prefix = prefixOf(body, at);
    return blocksIn(message).flatMap((block, place) => {
      const [, bound] = (textAt(block, "signature") ?? "").split(".");
      return bound === undefined || bound === prefix ? [] : [["messages", at, "content", place]];
    });
  });
}

/** Returns a digest of the conversation before a message. */
function prefixOf(body: unknown, end: number): string {
  const system = memberOf(body, "system");
  const messages = listAt(body, "messages").slice(0, end);
  const prefix = {
    system: typeof system === "string" ? [{ type: "text", text: system }] : system,
    tools: memberOf(body, "tools"),
    messages: messages.map((message) => [textAt(message, "role"), blocksIn(message)]),
  };
  return createHash("sha256").update(JSON.stringify(prefix, withoutMarks)).digest("hex").slice(0, 16);
}
