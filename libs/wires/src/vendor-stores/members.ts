import { splitWords, type JsonRecord } from "@modelgate/formats/json";

/** Form in which a member names an object in a store. */
export type Naming =
  /** A string or number, or a list of them. */
  | "id"
  /** An object whose member `id` names the object in the store. */
  | "object"
  | "id-or-object"
  /** An address, or a bare name such as `files/abc`. Public addresses and other names do not name an object. */
  | "address"
  /** An address. Every value except a public address or a data URL names an object. */
  | "file-address"
  /** Text that begins with a scheme by which a vendor reads files of its store. */
  | "text"
  /** Any non-empty value. */
  | "setting"
  /** A voice. Only the ids of voices that a customer created begin with `voice_`. */
  | "made-voice"
  /** A text that may be a JSON object with members that name objects. */
  | "json";

/** A member that names an object in a store, at any depth of a body. */
export interface StoreMember {
  /** Names in snake_case. Other cases, and names without underscores, match too. */
  readonly names: readonly string[];
  readonly store: VendorStore;
  readonly naming: Naming;
  /** True if the member names an object only at a body's top level. */
  readonly top?: true;
  /** Required `type` of the object that contains the member. `notOf` is an excluded type. */
  readonly of?: string;
  readonly notOf?: string;
  /** Values that do not name an object. */
  readonly except?: readonly string[];
}

/** Rules of one wire for finding objects in a vendor's store, in addition to `storeMembers`. */
export interface StoreDialect {
  /** Members in addition to those of every wire. */
  readonly members?: readonly StoreMember[];
  /** Names of members that refer to a store on other wires, but not on this one. */
  readonly without?: readonly string[];
  /** Members with JSON of the client, in which vendors find no objects. */
  readonly opaque: readonly string[];
  /** Members with JSON of the client, unless they contain a content (an object with a `type`), which vendors read. */
  readonly contents?: readonly string[];
  /** Finds objects that a body names in ways that these rules do not cover. */
  named?(body: JsonRecord): readonly VendorId[];
  /** Reads the objects that a vendor created. */
  readonly created?: CreatedReader;
}

/**
 * Members of all wires that name an object in a vendor's store. The vendor would read this object with the operator's
 * key, for every client. Sources: the vendors' references (OpenAI, Azure, Anthropic, Gemini, DashScope, Moonshot,
 * Mistral, xAI, Ark, Kling) as of November 2026.
 */
export const storeMembers: readonly StoreMember[] = [
  { names: ["file_id", "file_ids", "input_file_id", "input_file_ids", "ref_file_ids"], store: "file", naming: "id" },
  { names: ["file_uri"], store: "file", naming: "file-address" },
  // The address of an image from code execution is output, not a file.
  { names: ["url", "uri"], store: "file", naming: "address", notOf: "image" },
  {
    names: ["image_url", "image_urls", "file_url", "document_url", "video_url", "audio_url", "image", "images"],
    store: "file",
    naming: "address",
  },
  { names: ["image_tail", "input_reference", "video", "mask"], store: "file", naming: "address" },
  {
    names: splitWords(`
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
  { names: ["connector_id", "tunnel_id"], store: "tool-server", naming: "id" },
  { names: ["server_url"], store: "tool-server", naming: "setting", of: "mcp" },
  // Azure reads these with the operator's identity.
  { names: ["data_sources"], store: "data-source", naming: "setting" },
  { names: ["skill_id"], store: "skill", naming: "id", notOf: "anthropic" },
  { names: ["user_profile_id"], store: "profile", naming: "id" },
];

/** Frequent members that name no object. Their rules are stored in advance, which makes the search faster. */
export const plainMembers: readonly string[] = splitWords(`
   role type content text input model messages contents parts stream tools tool_calls tool_call_id id
   function name arguments description call_id status output summary annotations detail source data
   media_type cache_control signature thinking tool_use_id is_error data_url inlineData mimeType
   functionCall functionResponse thoughtSignature generationConfig index encrypted_content logprobs strict
   reasoning reasoning_content refusal phase namespace
  `);

/** Dialect of requests other than conversations, such as those for ranking, moderation or vectors. */
export const plainDialect: StoreDialect = { without: ["prompt"], opaque: ["documents", "metadata"] };

export type CreatedId = Pick<VendorId, "store" | "id">;

/**
 * Reads the objects that an answer created, from members that only the vendor writes. The model's text is not read,
 * because it may contain any name.
 */
export interface CreatedReader {
  /** Texts of which at least one occurs in every answer with such an object. Other answers need not be parsed. */
  readonly needles: readonly string[];
  /** True if answers are read when they are stored, not while they are forwarded. */
  readonly onlyIfStored?: true;
  isRequested(body: JsonRecord): boolean;
  /** Reads the objects in an answer or event. `isStored` is true if the vendor stores the answer. */
  read(answer: JsonRecord, isStored: boolean): readonly CreatedId[];
}

const maxCreated = 1_000;

/** Returns the ids of the objects that a vendor created, as an answer names them: at most `maxCreated`. */
export function createdIn(
  { read }: Pick<CreatedReader, "read">,
  answer: JsonRecord,
  isStored = true,
): readonly CreatedId[] {
  return read(answer, isStored)
    .filter(({ id }) => id !== "")
    .slice(0, maxCreated);
}

export function mayNameCreated({ needles }: Pick<CreatedReader, "needles">, bytes: Buffer | string): boolean {
  return needles.some((needle) => bytes.includes(needle));
}

export function createdId(store: CreatedId["store"], id: unknown): readonly CreatedId[] {
  return typeof id === "string" ? [{ store, id }] : [];
}

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

export interface VendorId {
  readonly store: VendorStore;
  /** Id of the object, or the value that names it. */
  readonly id: string;
  /** Path in the request, such as `input[2].content[0].file_id`. */
  readonly path: string;
  /**
   * True if the id can be removed: the request also contains the content of the object, or the gateway created the id.
   */
  readonly isRemovable?: true;
}
