import { findSessionSettings, findTokenById, newClientSecret, type SessionSettings } from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { answerJson, orUnavailable, type EndpointHandler } from "@modelgate/platform";
import { checked, readJson } from "@modelgate/relay";
import { isRecord, type JsonRecord } from "@modelgate/wires/json";
import { readClientSecret, reliedOfClientSecrets } from "@modelgate/wires/realtime";
import type { Deps } from "./deps.ts";
import type { RealtimeCall } from "./session-call.ts";

const usualSeconds = 600;

/** POST /v1/realtime/client_secrets: a short-lived key for a browser, bound to a session's model and settings. */
export function createClientSecret(deps: Deps): EndpointHandler {
  return async (call) => {
    const { caller, response } = call;
    const { redis, catalog } = deps.relay;
    if (caller.settingsId !== undefined)
      throw new Failure("invalid_api_key", "A client secret cannot make another one: use the API key itself.");
    using body = await readJson(call, deps.body, checked(readClientSecret, reliedOfClientSecrets));
    const { session, expires_after: expiry } = body.seen;
    catalog.current().resolve(caller, session.model, ["realtime"]);
    const token = await orUnavailable(findTokenById(redis, caller.tokenId));
    if (token === undefined) throw new Failure("invalid_api_key");
    const lifetimeSeconds = expiry?.seconds ?? usualSeconds;
    const expiresAt = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
    const value = await orUnavailable(
      newClientSecret(redis, {
        token,
        models: [session.model, ...transcribersIn(session).filter((name) => caller.models?.includes(name) ?? true)],
        expiresAt: new Date(expiresAt * 1_000).toISOString(),
        lifetimeSeconds,
        settings: JSON.stringify(session),
      }),
    );
    answerJson(response, 200, {
      value,
      expires_at: expiresAt,
      session: { ...session, type: "realtime", object: "realtime.session", id: deps.newSessionId() },
    });
  };
}

/** The settings that a session's key is bound to; undefined for a usual key. Throws Failure where its owner's key is disabled. */
export async function boundSettings({ relay }: Deps, { caller }: RealtimeCall): Promise<SessionSettings | undefined> {
  const { accountId, tokenId, settingsId } = caller;
  if (settingsId === undefined) return undefined;
  const [settings, owner] = await orUnavailable(
    Promise.all([findSessionSettings(relay.redis, accountId, settingsId), findTokenById(relay.redis, tokenId)]),
  );
  if (owner === undefined || owner.disabled) throw new Failure("api_key_disabled");
  if (settings === undefined) throw new Failure("api_key_expired");
  return settings;
}

/** The models that are to write down what the client says: a session of this key may name them. */
function transcribersIn(session: JsonRecord): readonly string[] {
  const at = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
  const settings = [at(at(session["audio"], "input"), "transcription"), session["input_audio_transcription"]];
  return settings.map((setting) => at(setting, "model")).filter((name) => typeof name === "string");
}
