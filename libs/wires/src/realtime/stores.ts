import { stores as contentStores } from "../text/content/stores.ts";
import type { StoreDialect } from "../vendor-stores/members.ts";

/** Events of sessions: which of their members are the client's own JSON. */
export const realtimeStores: StoreDialect = {
  opaque: ["parameters", "schema", "json_schema", "metadata", "arguments"],
};

/** Messages of the live format, which spells as generated content does. */
export const liveStores = contentStores;
