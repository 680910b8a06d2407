import type { RealtimeVendor } from "../../../src/realtime/hub/bridge.ts";
import { eventMessage, eventType, parseEvent } from "../../../src/realtime/index.ts";
import type { Wire } from "../../../src/wire.ts";

/** The type of an event is in the member `act`. */
export const toy = {
  name: "toy",
  vendor: {
    bridge: () => ({
      vendorSpeaksFirst: false,
      state: { input: { bytesPerSecond: 1, detectsTurns: false }, pendingResponses: 0, isPending: false },
      open: () => ({ toClient: [], toVendor: [] }),
      fromClient: ({ data }) => ({ toClient: [], toVendor: [eventMessage({ act: eventType(data) })] }),
      fromVendor({ data }) {
        const { act, ...members } = parseEvent(data) ?? {};
        return { toClient: [eventMessage({ type: act, ...members })], toVendor: [] };
      },
      stop: () => [],
      cancel: () => [],
    }),
  },
} as const satisfies Wire<RealtimeVendor>;
