export { BackgroundRuns } from "./background/background-runs.ts";
export { openResponses, type ResponsesDeps } from "./deps.ts";
export { responsesRoutes } from "./routes/index.ts";
export { ResponseSockets } from "./sockets/response-sockets.ts";
export { keepingAnswer } from "./threads/kept-answer.ts";
export { keepThread } from "./threads/keep-thread.ts";
export { threadWishOf, wholeTurn } from "./threads/thread-turn.ts";
export { responsesVariables } from "./variables.ts";
