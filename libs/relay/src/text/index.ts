// Calls of text: how each is said to a vendor in a wire, whole or streamed.
export { failsAtOnce, textExchanges, waitingIn, type TextCall } from "./exchange.ts";
export { PassStream } from "./pass-stream.ts";
export { ConvertStream } from "./convert-stream.ts";
