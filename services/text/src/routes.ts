import type { AreaHandlers } from "@modelgate/platform";
import { interactionsRoutes } from "./interactions/routes.ts";
import { responsesRoutes, type BackgroundRuns, type ResponsesDeps } from "./responses/index.ts";
import { countContentTokens, countMessageTokens } from "./routes/count-tokens.ts";
import { batchEmbedContents, cohereEmbed, embedContent, embeddings, ollamaEmbed } from "./routes/embeddings.ts";
import { generateContent, streamGenerateContent } from "./routes/generate-content.ts";
import { messages } from "./routes/messages.ts";
import { getModel, listModels } from "./routes/models.ts";
import { billingSubscription, billingUsage, credits, currentKey } from "./routes/money.ts";
import { ollamaChat, ollamaGenerate } from "./routes/ollama.ts";
import { listOllamaModels, listReadyOllamaModels, ollamaVersion, showOllamaModel } from "./routes/ollama-models.ts";
import { moderations } from "./routes/moderations.ts";
import { cohereRerank, rerank } from "./routes/rerank.ts";
import { textHandler } from "./text-kind.ts";

/** Handlers of the endpoints of the text area. */
export function routes(deps: ResponsesDeps, background: BackgroundRuns): AreaHandlers<"text"> {
  return {
    chatCompletions: textHandler(deps, "chat"),
    ...responsesRoutes(deps, background),
    ...interactionsRoutes(deps, background),
    messages: messages(deps),
    generateContent: generateContent(deps),
    streamGenerateContent: streamGenerateContent(deps),
    countMessageTokens: countMessageTokens(deps),
    countContentTokens: countContentTokens(deps),
    completions: textHandler(deps, "completions"),
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
