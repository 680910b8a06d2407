import { withoutUndefined } from "@modelgate/contracts";
import { spliceMembers, withoutMembers } from "@modelgate/formats/json";
import type { AnswerCall } from "../call.ts";
import { claudeBody, cloudBetas, bufferedBody } from "../anthropic/index.ts";

/** Version of the messages wire that Bedrock supports. */
const anthropicVersion = JSON.stringify("bedrock-2023-05-31");
const rerankVersion = "2";

/** Returns the body of a request. The address contains the model and selects streaming. */
export function bodyOf(call: AnswerCall): Buffer {
  const { wire, model } = call;
  if (wire === "messages") {
    const betas = cloudBetas(call.headers?.["anthropic-beta"]);
    return claudeBody(
      call,
      withoutUndefined({
        anthropic_version: anthropicVersion,
        anthropic_beta: betas === undefined ? undefined : JSON.stringify(betas),
      }),
      ["model", "stream"],
    );
  }
  const body = withoutMembers(bufferedBody(call.body), ["model"]);
  return wire === "cohere-rerank" && model.includes("cohere.")
    ? spliceMembers(body, { api_version: rerankVersion })
    : body;
}
