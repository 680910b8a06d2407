import { Failure } from "@modelgate/contracts";
import type { Fields } from "../../json/fields.ts";

/** What a look at a vendor's task showed. */
export type Sighting =
  /** Nothing new: no answer, or an unknown word. */
  | { readonly kind: "unseen" }
  /** Under way; the vendor's progress in percent if it reports one. */
  | { readonly kind: "seen"; readonly state: "queued" | "in_progress"; readonly progress?: number | undefined }
  | { readonly kind: "finished"; readonly result: VideoResult }
  | { readonly kind: "failed"; readonly error: { readonly code: string; readonly message: string } }
  /** The vendor knows no such task. */
  | { readonly kind: "absent" };

/** Where a finished video is. */
export interface VideoResult {
  /** Its address at the vendor; absent where the vendor's own content endpoint has it. */
  readonly url?: string | undefined;
  /** When the vendor will have let it go, Unix ms. */
  readonly expiresAt?: number | undefined;
  /** How long the address is good from now on, where the vendor says no date. */
  readonly keptMs?: number | undefined;
}

export const unseen: Sighting = { kind: "unseen" };

/** Maps a vendor's word for a state to ours; undefined for an unknown one. */
export type StateWords = Readonly<Record<string, "queued" | "in_progress" | "completed" | "failed">>;

/** The vendor's name of a task that it has just taken. Throws Failure upstream_error where there is none. */
export function startedAs(fields: Fields, name: string): string {
  const value = fields.raw(name);
  const id = typeof value === "number" ? String(value) : value;
  if (typeof id === "string" && /^[\w.:-]{1,200}$/.test(id)) return id;
  throw new Failure("upstream_error", "The vendor's answer does not name a task.");
}

/** Percent as vendors write it: 30, or "30%". */
export function readProgress(value: unknown): number | undefined {
  const progress = typeof value === "string" ? Number(/^(\d{1,3})%?$/.exec(value)?.[1] ?? "") : value;
  return typeof progress === "number" && progress >= 0 && progress <= 100 && value !== "" ? progress : undefined;
}
