import { geminiLive } from "../gemini/live/index.ts";
import { openaiRealtime } from "../openai/realtime/index.ts";
import { vertexLive } from "../vertex/live.ts";
import type { SocketVendor } from "./socket-vendor.ts";

/** Every vendor on this machine that is met by WebSocket: one line each. */
export const socketVendors: readonly SocketVendor[] = [openaiRealtime, geminiLive, vertexLive];
