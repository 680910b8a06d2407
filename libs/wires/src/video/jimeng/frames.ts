/** Frames that the vendor makes of a second, and the one with which a video begins. */
const [perSecond, first] = [24, 1];

export function framesOf(seconds: number): number {
  return seconds * perSecond + first;
}

/** The length of so many frames, in seconds; undefined where they are no whole number of seconds. */
export function secondsOf(frames: number): number | undefined {
  const seconds = (frames - first) / perSecond;
  return Number.isInteger(seconds) && seconds > 0 ? seconds : undefined;
}

/** The vendor's one rate. */
export const framesPerSecond = perSecond;
