import type { AreaHandlers } from "@modelgate/platform";
import type { BackgroundRuns } from "../background/background-runs.ts";
import type { ResponsesDeps } from "../deps.ts";
import { compactResponse } from "./compact-response.ts";
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  deleteConversationItem,
  getConversation,
  getConversationItem,
  listConversationItems,
  updateConversation,
} from "./conversations.ts";
import { connectResponses, countResponseTokens, responses } from "./responses.ts";
import { cancelResponse, deleteResponse, getResponse, listResponseInputItems } from "./stored-responses.ts";

/** Handlers of the endpoints for responses and conversations. */
export function responsesRoutes(deps: ResponsesDeps, background: BackgroundRuns) {
  return {
    responses: responses(deps, background),
    connectResponses: connectResponses(),
    getResponse: getResponse(deps),
    deleteResponse: deleteResponse(deps, background),
    cancelResponse: cancelResponse(deps, background),
    listResponseInputItems: listResponseInputItems(deps),
    countResponseTokens: countResponseTokens(deps),
    compactResponse: compactResponse(deps),
    createConversation: createConversation(deps),
    getConversation: getConversation(deps),
    updateConversation: updateConversation(deps),
    deleteConversation: deleteConversation(deps),
    listConversationItems: listConversationItems(deps),
    addConversationItems: addConversationItems(deps),
    getConversationItem: getConversationItem(deps),
    deleteConversationItem: deleteConversationItem(deps),
  } satisfies Partial<AreaHandlers<"text">>;
}
