import type { Area } from "./area.ts";
import { audio, media, text } from "./areas/one-answer.ts";
import { realtime } from "./areas/realtime.ts";
import { video } from "./areas/video.ts";

/** All areas. The faults of `faults.ts` apply to each of them. */
export const areas: readonly Area[] = [text, media, video, audio, realtime];
