import { isRecord, memberOf, type JsonRecord } from "@modelgate/formats/json";
import { eventStreamFraming } from "@modelgate/formats/sse";
import { isReasoningRequested, identifyDialogue, type Dialogue } from "../dialogue.ts";
import type { TextWire } from "../hub/wire.ts";
import { AgentRun } from "./collect.ts";
import { renderAnswer } from "./client-answer.ts";
import { parseRequest, readParams, inspectedMembers, stepsOf } from "./client-request.ts";
import { InteractionsWriter } from "./client-stream.ts";
import { interactionsPass } from "./pass.ts";
import { requestedFees } from "./usage.ts";
import { parseAnswer, taskOf } from "./vendor-answer.ts";
import { fieldSupport, renderRequest } from "./vendor-request.ts";
import { InteractionsReader } from "./vendor-stream.ts";

export const interactionsWire = {
  name: "interactions",
  framing: eventStreamFraming,
  isFirstEvent,
  vendor: {
    render: renderRequest,
    parse: parseAnswer,
    usage: interactionsPass.usage,
    fees: interactionsPass.fees,
    stream: () => new InteractionsReader(),
    requestedFees,
    fields: fieldSupport,
    taskOf,
    run: () => new AgentRun(),
  },
  client: {
    read: parseRequest,
    render: renderAnswer,
    stream: (context) => new InteractionsWriter(context),
    spelling: fieldSupport.spelling,
    readParams,
    inspectedMembers,
    answerPrefix: "int_",
    stores: {
      // The text service replaces this member by the earlier steps.
      without: ["previous_interaction_id"],
      members: [
        // Only on this wire, the address of an image may name a file in the vendor's store.
        { names: ["uri"], store: "file", naming: "address", of: "image" },
        { names: ["environment_id"], store: "container", naming: "id" },
        { names: ["environment"], store: "container", naming: "id-or-object", top: true, except: ["remote"] },
      ],
      opaque: ["arguments", "parameters", "schema", "labels", "agent_config"],
      contents: ["result"],
    },
    keepAlive: interactionsPass.heartbeat,
    failureFrame: interactionsPass.failureFrame,
    dialogue: readDialogue,
    requestsReasoning: (body) => isReasoningRequested(memberOf(body["generation_config"], "thinking_level")),
  },
  pass: interactionsPass,
} as const satisfies TextWire<"interactions">;

function isFirstEvent({ event_type: type, interaction }: JsonRecord): boolean {
  if (typeof type !== "string") return false;
  if (type === "interaction.created" || type === "interaction.completed") return isRecord(interaction);
  return type === "interaction.status_update" || type.startsWith("step.");
}

const clientSteps: ReadonlySet<unknown> = new Set(["user_input", "function_result"]);

function readDialogue(body: JsonRecord): Dialogue {
  const conversation = { instructions: body["system_instruction"], turns: stepsOf(body["input"]) };
  return identifyDialogue(body, conversation, ({ type }) => !clientSteps.has(type));
}
