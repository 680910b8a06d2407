import type { IncomingMessage } from "node:http";
import { Failure } from "@modelgate/contracts";
import { checkHandshake } from "@modelgate/platform";

/** Validated contents of a client's opening handshake. */
export interface Handshake {
  /** Name of the model; undefined selects the caller's first session model. */
  readonly model: string | undefined;
  /** True if the client uses the beta form of the realtime format. */
  readonly isBeta: boolean;
}

/** Subprotocol of OpenAI's realtime format. */
const realtimeProtocol = "realtime";
const betaProtocol = "openai-beta.realtime-v1";
const betaHeader = "realtime=v1";
/** Reads the opening handshake. Throws Failure (400) if it is invalid or requests an unsupported feature. */
export function readHandshake({ headers }: IncomingMessage, query: URLSearchParams): Handshake {
  const protocols = checkHandshake({ headers });
  for (const param of ["call_id", "intent"])
    if (query.has(param))
      throw new Failure("unsupported_parameter", `${param} is not supported here: open a session with a model.`, {
        param,
      });
  const models = new Set(["model", "deployment"].flatMap((name) => query.getAll(name)).filter((name) => name !== ""));
  if (models.size > 1) throw new Failure("invalid_value", "The query names more than one model.", { param: "model" });
  const [model] = models;
  return { model, isBeta: protocols.includes(betaProtocol) || headers["openai-beta"] === betaHeader };
}

/** Returns the subprotocol to select. Never selects another offered one, which could be an API key. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(realtimeProtocol) ? realtimeProtocol : false;
}
