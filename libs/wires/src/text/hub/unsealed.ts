import type { Part } from "./part.ts";
import type { TextRequest } from "./request.ts";

/**
 * A request without the seals in its history: for a vendor that did not make them, or does not know them any more. What
 * only a seal can say (redacted thoughts) is lost with it; a compaction stays, for nothing else has its content.
 */
export function unsealed(request: TextRequest): TextRequest {
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(withoutSeal) })) };
}

function withoutSeal(part: Part): Part {
  if (!("seal" in part) || part.kind === "compaction") return part;
  const { seal: _seal, ...rest } = part;
  return rest;
}
