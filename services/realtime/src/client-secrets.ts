import {
  contentLimitFailure,
  findSessionSettings,
  findTokenById,
  newClientSecret,
  type NewClientSecret,
  type SessionSettings,
} from "@modelgate/accounts";
import { Failure } from "@modelgate/contracts";
import { answerJson, orUnavailable, type EndpointHandler } from "@modelgate/platform";
import { refreshCaller, readJson } from "@modelgate/relay";
import { isRecord, type JsonRecord } from "@modelgate/formats/json";
import { readClientSecret, clientSecretMembers } from "@modelgate/wires/realtime";
import type { Deps } from "./deps.ts";
import type { RealtimeCall } from "./session-call.ts";

const defaultLifetimeSeconds = 600;
/** Maximum bytes of a session's settings, as JSON. */
const maxSettingsBytes = 64 * 1024;

/** POST /v1/realtime/client_secrets: creates a short-lived key for browsers, bound to the settings of a session. */
export function createClientSecret(deps: Deps): EndpointHandler {
  return async (call) => {
    const { caller, response } = call;
    const { redis, catalog } = deps.relay;
    if (caller.settingsId !== undefined)
      throw new Failure("invalid_api_key", "A client secret cannot create another one: use the API key itself.");
    using body = await readJson(call, deps.body, readClientSecret, clientSecretMembers);
    const { session, expires_after: expiry } = body.inspected;
    catalog.current().resolve(caller, session.model, ["realtime"]);
    const token = await orUnavailable(findTokenById(redis, caller.tokenId));
    if (token === undefined) throw new Failure("invalid_api_key");
    const settings = JSON.stringify(session);
    const bytes = Buffer.byteLength(settings);
    if (bytes > maxSettingsBytes)
      throw new Failure("request_too_large", `The session's settings are larger than ${maxSettingsBytes} bytes.`, {
        param: "session",
      });
    const now = Math.floor(Date.now() / 1_000);
    const lifetimeSeconds = secondsToLive(
      [token.expiresAt, caller.keyExpiresAt],
      now,
      expiry?.seconds ?? defaultLifetimeSeconds,
    );
    const expiresAt = now + lifetimeSeconds;
    const quotaEntry = { accountId: caller.accountId, record: `session-settings:${deps.newSessionId()}` };
    if (!(await deps.contentQuota.setBytes(quotaEntry, bytes, lifetimeSeconds * 1_000))) throw contentLimitFailure();
    const stores = { redis, content: deps.content };
    // The names are stored with the key, where no client content may be stored. So texts that name no model are left
    // out.
    const mayCall = (name: string): boolean =>
      catalog.current().kindOf(name) !== undefined && (caller.models?.includes(name) ?? true);
    const request: NewClientSecret = {
      token,
      models: [session.model, ...transcriptionModelsIn(session).filter(mayCall)],
      expiresAt: new Date(expiresAt * 1_000).toISOString(),
      lifetimeSeconds,
      settings,
    };
    let value: string;
    try {
      value = await orUnavailable(newClientSecret(stores, request));
    } catch (error) {
      await deps.contentQuota.release(quotaEntry);
      throw error;
    }
    answerJson(response, 200, {
      value,
      expires_at: expiresAt,
      session: { ...session, type: "realtime", object: "realtime.session", id: deps.newSessionId() },
    });
  };
}

/** Returns the lifetime of a client secret in seconds. It ends at the latest with the API key that creates it. */
function secondsToLive(ends: readonly (string | undefined)[], now: number, requested: number): number {
  const left = ends.map((end) => (end === undefined ? requested : Math.floor(Date.parse(end) / 1_000) - now));
  const seconds = Math.min(requested, ...left);
  if (seconds <= 0) throw new Failure("api_key_expired");
  return seconds;
}

/** Call of a session, and the settings of its client secret; undefined for a normal API key. */
export interface CallWithSettings {
  readonly call: RealtimeCall;
  readonly settings: SessionSettings | undefined;
}

/**
 * Returns a session's call with current permissions, and the settings of its client secret. Throws Failure if the
 * secret can no longer be used.
 */
export async function withSecretSettings({ relay, content }: Deps, call: RealtimeCall): Promise<CallWithSettings> {
  const { accountId, settingsId } = call.caller;
  if (settingsId === undefined) return { call, settings: undefined };
  const [settings, caller] = await Promise.all([
    orUnavailable(findSessionSettings(content, accountId, settingsId)),
    refreshCaller(relay, call.caller),
  ]);
  if (settings === undefined) throw new Failure("api_key_expired");
  return { call: { ...call, caller }, settings };
}

/** Returns settings with their type, which they may lack. The vendor requires it, except in the beta form. */
export function withSessionType(
  settings: SessionSettings,
  { isBeta }: { readonly isBeta: boolean },
): SessionSettings & { readonly type?: string } {
  return isBeta ? settings : { ...settings, type: "realtime" };
}

/** Returns the names of transcription models in a session's settings. */
function transcriptionModelsIn(session: JsonRecord): readonly string[] {
  const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
  const settings = [
    memberOf(memberOf(session["audio"], "input"), "transcription"),
    session["input_audio_transcription"],
  ];
  return settings.map((setting) => memberOf(setting, "model")).filter((name) => typeof name === "string");
}
