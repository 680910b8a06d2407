/** What a request can name in the store of its vendor. */
export type VendorStore =
  | "file"
  | "vector-store"
  | "container"
  | "conversation"
  | "item"
  | "response"
  | "prompt"
  | "cache"
  | "audio"
  | "voice"
  | "video"
  | "tool-server"
  | "data-source"
  | "skill"
  | "profile";

/** Something in a vendor's store that a request names. */
export interface VendorId {
  readonly store: VendorStore;
  /** Its id, or the value that names it. */
  readonly id: string;
  /** Where it stands, as the client would write it: `input[2].content[0].file_id`. */
  readonly path: string;
}
