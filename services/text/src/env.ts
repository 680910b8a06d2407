import { contentVariables, serviceVariables } from "@modelgate/platform";
import { relayVariables } from "@modelgate/relay";
import { imagesVariables } from "@modelgate/relay/images";
import { responsesVariables } from "./responses/index.ts";

export const variables = serviceVariables("text", (read) => ({
  relay: relayVariables(read),
  images: imagesVariables(read),
  content: contentVariables(read),
  responses: responsesVariables(read),
}));
