import type { Client } from "../question.ts";
import { aiClients } from "./ai-providers.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { googleContent } from "./google-content.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/** All official SDKs of the four text wires. */
export const clients: readonly Client[] = [openaiChat, openaiResponses, anthropicMessages, googleContent, ...aiClients];
