import * as media from "./media.ts";
import * as ollama from "./ollama.ts";
import * as text from "./text.ts";

/** Schemas of request bodies, by the names that the endpoint table uses. */
export const bodies = { ...text, ...media, ...ollama } as const;
export type BodyName = keyof typeof bodies;
