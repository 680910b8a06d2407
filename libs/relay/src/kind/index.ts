// Calls of kinds that answer in one piece.
export { kindExchange, wholeExchange, type KindCall } from "./exchange.ts";
