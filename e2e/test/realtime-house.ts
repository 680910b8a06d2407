import { until, type Suite } from "@modelgate/testkit";
import { storedEvents } from "./events.ts";
import { money } from "./house.ts";

/** Prices at which every unit shows in the sum. */
export const price = { input: 4, cachedInput: 0.4, output: 16, inputAudio: 32, outputAudio: 64, second: 0.0001 };

/** A service that waits shortly for a vendor, and holds little. */
export const limits = {
  realtime: { sessions: { firstEventMs: 500 }, slice: { audioSeconds: 1, textTokens: 100 } },
};

/** The usage events of a model, once there are so many. */
export async function usageEvents({ backends }: Suite, model: string, count: number) {
  return until(`${count} events of ${model}`, async () => {
    const found = (await storedEvents(backends.natsUrl)).filter(({ event }) => event.model === model);
    return found.length >= count && found;
  });
}

/** Waits until no session of the account holds money. */
export function nothingHeld(suite: Suite, account = "demo"): Promise<boolean> {
  return until("nothing to be held", async () => (await money(suite, account)).heldNanos === "0");
}
