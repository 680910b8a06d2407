import type { KindCodec, KindContext } from "../../kind/codec.ts";
import type { ModerationAnswer } from "./answer.ts";
import type { ModerationRequest, ModerationWire } from "./request.ts";

/** One wire of moderation, both directions. */
export type ModerationCodec = KindCodec<ModerationWire, ModerationRequest, ModerationAnswer>;
export type ModerationContext = KindContext<ModerationRequest>;
