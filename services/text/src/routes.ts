import type { AreaHandlers } from "@modelgate/platform";
import type { BackgroundRuns } from "./background/background-runs.ts";
import type { Deps } from "./deps.ts";
import { chatCompletions } from "./routes/chat-completions.ts";
import { compactResponse } from "./routes/compact-response.ts";
import { completions } from "./routes/completions.ts";
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  deleteConversationItem,
  getConversation,
  getConversationItem,
  listConversationItems,
  updateConversation,
} from "./routes/conversations.ts";
import { countContentTokens, countMessageTokens, countResponseTokens } from "./routes/count-tokens.ts";
import { batchEmbedContents, cohereEmbed, embedContent, embeddings, ollamaEmbed } from "./routes/embeddings.ts";
import { generateContent, streamGenerateContent } from "./routes/generate-content.ts";
import { messages } from "./routes/messages.ts";
import { getModel, listModels } from "./routes/models.ts";
import { billingSubscription, billingUsage, credits, currentKey } from "./routes/money.ts";
import { ollamaChat, ollamaGenerate } from "./routes/ollama.ts";
import { listOllamaModels, listReadyOllamaModels, ollamaVersion, showOllamaModel } from "./routes/ollama-models.ts";
import { moderations } from "./routes/moderations.ts";
import { cohereRerank, rerank } from "./routes/rerank.ts";
import { connectResponses, responses } from "./routes/responses.ts";
import { cancelResponse, deleteResponse, getResponse, listResponseInputItems } from "./routes/stored-responses.ts";

/** The endpoints of the text area. */
export function routes(deps: Deps, background: BackgroundRuns): AreaHandlers<"text"> {
  return {
    chatCompletions: chatCompletions(deps),
    responses: responses(deps, background),
    connectResponses: connectResponses(),
    getResponse: getResponse(deps),
    deleteResponse: deleteResponse(deps, background),
    cancelResponse: cancelResponse(deps, background),
    listResponseInputItems: listResponseInputItems(deps),
    createConversation: createConversation(deps),
    getConversation: getConversation(deps),
    updateConversation: updateConversation(deps),
    deleteConversation: deleteConversation(deps),
    listConversationItems: listConversationItems(deps),
    addConversationItems: addConversationItems(deps),
    getConversationItem: getConversationItem(deps),
    deleteConversationItem: deleteConversationItem(deps),
    countResponseTokens: countResponseTokens(deps),
    compactResponse: compactResponse(deps),
    messages: messages(deps),
    generateContent: generateContent(deps),
    streamGenerateContent: streamGenerateContent(deps),
    countMessageTokens: countMessageTokens(deps),
    countContentTokens: countContentTokens(deps),
    completions: completions(deps),
    embeddings: embeddings(deps),
    engineEmbeddings: embeddings(deps),
    cohereEmbed: cohereEmbed(deps),
    ollamaChat: ollamaChat(deps),
    ollamaGenerate: ollamaGenerate(deps),
    ollamaEmbed: ollamaEmbed(deps),
    cohereRerank: cohereRerank(deps),
    listOllamaModels: listOllamaModels(deps),
    listReadyOllamaModels: listReadyOllamaModels(deps),
    showOllamaModel: showOllamaModel(deps),
    ollamaVersion: ollamaVersion(),
    embedContent: embedContent(deps),
    batchEmbedContents: batchEmbedContents(deps),
    rerank: rerank(deps),
    moderations: moderations(deps),
    listModels: listModels(deps),
    getModel: getModel(deps),
    listGammaModels: listModels(deps),
    getGammaModel: getModel(deps),
    billingSubscription: billingSubscription(deps),
    billingUsage: billingUsage(deps),
    credits: credits(deps),
    currentKey: currentKey(deps),
  };
}
