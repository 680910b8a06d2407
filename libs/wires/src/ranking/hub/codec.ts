import type { KindCodec, KindContext } from "../../kind/codec.ts";
import type { RankingAnswer } from "./answer.ts";
import type { RankingRequest } from "./request.ts";
import type { RankingWire } from "@modelgate/contracts";

/** One wire of ranking, both directions. */
export type RankingCodec = KindCodec<RankingWire, RankingRequest, RankingAnswer>;
export type RankingContext = KindContext<RankingRequest>;
