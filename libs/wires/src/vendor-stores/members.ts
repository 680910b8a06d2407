import type { JsonRecord } from "../json/fields.ts";

/** Form of a member's value that names something in a store. */
export type Naming =
  /** A string or number, or a list of them. */
  | "id"
  /** A member `id` of the object. */
  | "object"
  | "id-or-object"
  /** An address, which may also be of something public; a bare name is not an address. */
  | "address"
  /** The same, but everything that is not a public address is in a store. */
  | "file-address"
  /** Text that begins with a scheme that one vendor reads as files of its store. */
  | "text"
  /** Any value that is not empty. */
  | "setting"
  /** A string that begins like an id of something that was made; other strings are public names. */
  | "made-voice"
  /** A text that may be a JSON object with such members. */
  | "json";

/** A member that names something in a store, at any depth of a body. */
export interface StoreMember {
  /** Names in snake_case; every case is found, with underscores or without. */
  readonly names: readonly string[];
  readonly store: VendorStore;
  readonly naming: Naming;
  /** Set where it names something at the top of a body only; deeper, clients use the name for their own tags. */
  readonly top?: true;
  /** The `type` that the object around it must have, or must not have. */
  readonly of?: string;
  readonly notOf?: string;
  /** Values that name nothing. */
  readonly except?: readonly string[];
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Members with which requests of a wire name things in a vendor's store, and answers things that were made there. */
export interface StoreDialect {
  /** Members in addition to those of every wire; absent: none. */
  readonly members?: readonly StoreMember[];
  /** Names of members that name something in every other wire but not in this one; absent: none. */
  readonly without?: readonly string[];
  /** Members whose value is the client's own JSON: schemas, arguments of calls, tags. A vendor does not interpret them. */
  readonly opaque: readonly string[];
  /** Finds things that a body names in another way than by a member; absent: none. */
  named?(body: JsonRecord): readonly VendorId[];
  /** Reads the things in answers that their vendor made; absent: none. */
  readonly made?: MadeReader;
}

/**
 * Every member by which a request of any wire names something that its vendor keeps. Vendors keep it for the operator's one key, so
 * the vendor shows it to everyone who names it. Sources: the vendors' references (OpenAI, Azure, Anthropic, Gemini, DashScope,
 * Moonshot, Mistral, xAI, Ark, Kling) as of November 2026.
 */
export const storeMembers: readonly StoreMember[] = [
  { names: ["file_id", "file_ids", "input_file_id", "input_file_ids", "ref_file_ids"], store: "file", naming: "id" },
  { names: ["file_uri"], store: "file", naming: "file-address" },
  // A picture that code drew is named by its address in the items of its call.
  { names: ["url", "uri"], store: "file", naming: "address", notOf: "image" },
  {
    names: ["image_url", "image_urls", "file_url", "document_url", "video_url", "audio_url", "image", "images"],
    store: "file",
    naming: "address",
  },
  { names: ["image_tail", "input_reference", "video", "mask"], store: "file", naming: "address" },
  {
    names: words(`
   vector_store_id vector_store_ids file_search_store_names file_search_store_name rag_corpus rag_corpora
   rag_file_ids datastore data_store collection_ids library_ids
  `),
    store: "vector-store",
    naming: "id",
  },
  { names: ["container"], store: "container", naming: "id-or-object" },
  { names: ["container_id"], store: "container", naming: "id" },
  { names: ["conversation"], store: "conversation", naming: "id-or-object", except: ["auto", "none"] },
  {
    names: ["conversation_id", "thread_id", "assistant_id", "context_id"],
    store: "conversation",
    naming: "id",
    top: true,
  },
  { names: ["previous_interaction_id", "previous_message_id"], store: "conversation", naming: "id", top: true },
  { names: ["previous_response_id"], store: "response", naming: "id", top: true },
  { names: ["prompt"], store: "prompt", naming: "object" },
  { names: ["prompt_id"], store: "prompt", naming: "id" },
  { names: ["cached_content", "cached_contents"], store: "cache", naming: "id" },
  { names: ["voice"], store: "voice", naming: "object" },
  { names: ["voice"], store: "voice", naming: "made-voice" },
  { names: ["voice_id", "voice_ids"], store: "voice", naming: "id" },
  { names: ["mcp_servers"], store: "tool-server", naming: "setting" },
  { names: ["connector_id"], store: "tool-server", naming: "id" },
  { names: ["server_url"], store: "tool-server", naming: "setting", of: "mcp" },
  // Azure reads these with the operator's identity.
  { names: ["data_sources"], store: "data-source", naming: "setting" },
  { names: ["skill_id"], store: "skill", naming: "id", notOf: "anthropic" },
  { names: ["user_profile_id"], store: "profile", naming: "id" },
];

/** Members of most bodies that name nothing: found by one lookup. */
export const plainMembers: readonly string[] = words(`
   role type content text input model messages contents parts stream tools tool_calls tool_call_id id
   function name arguments description call_id status output summary annotations detail source data
   media_type cache_control signature thinking tool_use_id is_error data_url inlineData mimeType
   functionCall functionResponse thoughtSignature generationConfig index encrypted_content logprobs strict
   reasoning reasoning_content refusal phase namespace
  `);

/** Bodies of requests other than conversations: for ranking, moderation or vectors. */
export const plainDialect: StoreDialect = { without: ["prompt"], opaque: ["documents", "metadata"] };

/** Something that a vendor made in its store while it answered. */
export type MadeId = Pick<VendorId, "store" | "id">;

/**
 * Reader of the things that a vendor made in its store, as answers of a wire name them. Only members that the vendor itself
 * fills are read: the text of a model or a tool may name anything.
 */
export interface MadeReader {
  /** Strings of which every answer that names something has one; most answers have none and need not be parsed. */
  readonly needles: readonly string[];
  /** Set where answers are read when they are stored, in one piece, and not as they pass. */
  readonly whereKept?: true;
  /** Tells whether a request wants an answer for which its vendor makes something. */
  isRequested(body: JsonRecord): boolean;
  /**
   * Reads the things that a whole answer or an event of a stream names.
   * @param kept whether the answer stays in the vendor's store with all of its items
   */
  read(answer: JsonRecord, kept: boolean): readonly MadeId[];
}

/** Maximum number of things of one answer that are returned. */
const maxMade = 1_000;

/** Returns the things that a vendor made in its store, as a whole answer or an event of a stream names them. */
export function madeIn({ read }: Pick<MadeReader, "read">, answer: JsonRecord, kept = true): readonly MadeId[] {
  return read(answer, kept)
    .filter(({ id }) => id !== "")
    .slice(0, maxMade);
}

/** Tells whether an answer's bytes may name such things. */
export function mayNameMade({ needles }: Pick<MadeReader, "needles">, bytes: Buffer | string): boolean {
  return needles.some((needle) => bytes.includes(needle));
}

/** Returns the thing with an id, if it is one. */
export function named(store: MadeId["store"], id: unknown): readonly MadeId[] {
  return typeof id === "string" ? [{ store, id }] : [];
}

/** Kinds of things that a request can name in the store of its vendor. */
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
  /** Path in the request, as the client would write it: `input[2].content[0].file_id`. */
  readonly path: string;
}
