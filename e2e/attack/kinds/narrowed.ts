import { once } from "node:events";
import { until } from "@modelgate/testkit";
import { WebSocket } from "ws";
import { askOperator } from "../../test/operator.ts";
import { openaiModel, sessionModel, attackResult, type Attack, type AttackContext } from "../attack.ts";
import type { SocketHandler } from "../vendor.ts";
import { honestText } from "./wires.ts";

/** API key that is restricted during the attack. */
interface MadeKey {
  readonly id: string;
  readonly key: string;
}

function makeKey({ suite, attacker }: AttackContext): Promise<MadeKey> {
  return suite.ask<MadeKey>("token", "create", attacker.accountId, "--group", "default");
}

function changeKey({ suite }: AttackContext, { id }: MadeKey, changed: object): Promise<unknown> {
  return askOperator(suite, "POST", `/tokens/${id}`, changed);
}

/** Vendor that sends only the first event of a session. */
const greeting: SocketHandler = (socket) => {
  const session = { type: "realtime", id: "sess_1", object: "realtime.session", model: "m" };
  socket.send(JSON.stringify({ type: "session.created", event_id: "e", session }));
};

async function canOpenSession({ edgeUrl }: AttackContext, key: string, model: string): Promise<boolean> {
  const socket = new WebSocket(`${edgeUrl.replace("http", "ws")}/v1/realtime?model=${model}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  try {
    await once(socket, "open");
    return true;
  } catch {
    return false;
  } finally {
    socket.terminate();
  }
}

const clientSecrets: Attack = {
  id: "client-secret",
  name: "opens sessions with a client secret beyond its key's expiry and models",
  area: "realtime",
  models: ["live", "other"].map((name) => sessionModel(name, { output: 1 }, greeting)),
  async run(context) {
    const created = await makeKey(context);
    const expiresAt = new Date(Date.now() + 120_000);
    await changeKey(context, created, { expiresAt: expiresAt.toISOString() });
    const body = {
      session: { type: "realtime", model: context.model("live") },
      expires_after: { anchor: "created_at", seconds: 3_600 },
    };
    const { body: secret } = await context.send({ path: "/v1/realtime/client_secrets", body, key: created.key });
    const value = /"value":\s*"(ek_[^"]+)"/.exec(secret)?.[1] ?? "";
    const secretEndMs = Number(/"expires_at":\s*(\d+)/.exec(secret)?.[1]) * 1_000;
    const before = await canOpenSession(context, value, context.model("live"));
    await changeKey(context, created, { models: [context.model("other")] });
    const narrowed = await canOpenSession(context, value, context.model("live"));
    await askOperator(context.suite, "POST", `/tokens/${created.id}/disable`);
    const disabled = await canOpenSession(context, value, context.model("live"));
    const opened = [narrowed, disabled].filter(Boolean).length;
    return attackResult("1 client secret, 3 sessions", `${opened} sessions opened beyond the key's limits`, [
      !before && "no session could be opened at all",
      !(secretEndMs <= expiresAt.getTime()) && "the client secret outlives its key",
      narrowed && "it opens a model that its key may not use any more",
      disabled && "it opens a session although its key is disabled",
    ]);
  },
};

const openSocket: Attack = {
  id: "open-socket",
  name: "keeps a WebSocket open to continue with the limits of its handshake",
  area: "text",
  models: ["broad", "narrow"].map((name) => openaiModel(name, "chat", { input: 1, output: 2 }, honestText)),
  async run(context) {
    const created = await makeKey(context);
    const socket = new WebSocket(`${context.edgeUrl.replace("http", "ws")}/v1/responses`, {
      headers: { authorization: `Bearer ${created.key}` },
    });
    const codes: string[] = [];
    socket
      .on("error", () => undefined)
      .on("message", (data: Buffer) => {
        context.searchSecrets(data.toString());
        codes.push(/"code":\s*"(\w+)"/.exec(data.toString())?.[1] ?? "none");
      });
    await once(socket, "open");
    /** Requests a response, and returns true if it is refused with this code. */
    const refusedWith = async (model: string, code: string): Promise<boolean> => {
      socket.send(JSON.stringify({ type: "response.create", model, input: "Hi" }));
      return await until(code, () => codes.includes(code)).catch(() => false);
    };
    await changeKey(context, created, { models: [context.model("narrow")] });
    const models = await refusedWith(context.model("broad"), "model_not_allowed");
    await askOperator(context.suite, "POST", `/tokens/${created.id}/disable`);
    const disabled = await refusedWith(context.model("narrow"), "api_key_disabled");
    socket.terminate();
    const requestCount = context.requests("broad").length + context.requests("narrow").length;
    return attackResult("1 WebSocket, 2 responses", `${requestCount} reached a vendor`, [
      !models && "a model was called that the key may not use any more",
      !disabled && "a disabled key was served",
      requestCount > 0 && `${requestCount} requests reached a vendor`,
    ]);
  },
};

/** Attacks by client secrets and connections that were opened before their key was restricted. */
export const narrowedAttacks: readonly Attack[] = [clientSecrets, openSocket];
