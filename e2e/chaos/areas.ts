import type { Area } from "./area.ts";
import { audio, media, text } from "./areas/one-answer.ts";
import { realtime } from "./areas/realtime.ts";
import { video } from "./areas/video.ts";

/** Areas to which the faults of `faults.ts` apply. */
export const areas: readonly Area[] = [text, media, video, audio, realtime];
