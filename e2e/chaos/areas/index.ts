import type { Area } from "../area.ts";
import { audio } from "./audio.ts";
import { media } from "./media.ts";
import { realtime } from "./realtime.ts";
import { text } from "./text.ts";
import { video } from "./video.ts";

/** Every area, each a file: what its clients ask for. Faults follow from `faults.ts` for all of them. */
export const areas: readonly Area[] = [text, media, video, audio, realtime];
