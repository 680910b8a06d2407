// What wires that answer in one piece share.
export type { Ask } from "./ask.ts";
export type { KindCodec } from "./codec.ts";
