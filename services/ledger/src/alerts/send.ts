import { createTransport } from "nodemailer";
import {
  isBlockedAddress,
  NotFetched,
  openRemoteStreams,
  resolvePinnedAddress,
  readText,
  remoteRules,
  unlessAborted,
  type RemoteRules,
} from "@modelgate/channels";
import {
  AlertTargetSecret,
  alertTargetPurpose,
  inOneLine,
  recordParser,
  withoutUndefined,
  type Alert,
  type AlertTargetKind,
} from "@modelgate/contracts";
import { makeCipher, type Secrets } from "@modelgate/platform";
import type { EncryptedTarget } from "@modelgate/books";
import { alertMail, alertRequest } from "./formats.ts";

/** Sends alerts to targets. */
export interface AlertSender {
  /** Sends an alert once. Returns the reason for a failure, without secrets; undefined after success. */
  send(target: EncryptedTarget, alert: Alert, signal: AbortSignal): Promise<string | undefined>;
}

export interface SenderOptions {
  readonly secrets: Secrets;
  readonly timeoutMs: number;
}

/** Maximum bytes of an answer that are read, and maximum characters of it in an error message. */
const [maxAnswerBytes, maxAnswerCharacters] = [4_096, 120];
/** Ports of SMTP with STARTTLS and with TLS from the start. */
const [submissionPort, tlsPort] = [587, 465];

const readSecret = recordParser("secret part of an alert target", AlertTargetSecret);

/**
 * Address rules of targets. Targets of accounts reach only public hosts. Targets of all alerts are set by an admin, so
 * they may be in a private network.
 */
const accountRules = remoteRules;
const adminRules: RemoteRules = { ...remoteRules, isAllowed: (address) => !isBlockedAddress(address) };

export function openAlertSender({ secrets, timeoutMs }: SenderOptions): AlertSender {
  const cipher = makeCipher(secrets, alertTargetPurpose);
  return {
    async send({ target: { id, account, kind }, sealed }, alert, signal) {
      let secret: AlertTargetSecret;
      try {
        secret = readSecret(cipher.decrypt(sealed, id));
      } catch {
        return "its address cannot be decrypted: it was encrypted with another MODELGATE_SECRET";
      }
      const attempt = {
        secret,
        alert,
        rules: account === "" ? adminRules : accountRules,
        timeoutMs,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      };
      try {
        return await unlessAborted(kind === "email" ? sendMail(attempt) : post(kind, attempt), attempt.signal);
      } catch (error) {
        return attempt.signal.aborted ? "it did not answer in time" : reasonOf(error);
      }
    },
  };
}

interface DeliveryAttempt {
  readonly secret: AlertTargetSecret;
  readonly alert: Alert;
  readonly rules: RemoteRules;
  readonly timeoutMs: number;
  /** Ends the attempt after `timeoutMs` or when the ledger stops. */
  readonly signal: AbortSignal;
}

async function post(
  kind: Exclude<AlertTargetKind, "email">,
  { secret, alert, rules, timeoutMs, signal }: DeliveryAttempt,
): Promise<string | undefined> {
  const { body, headers } = alertRequest(kind, alert, secret, Date.now());
  await using stream = await openRemoteStreams(rules).open({
    url: secret.url,
    body: Buffer.from(body),
    headers,
    proxy: undefined,
    timeoutMs,
    signal,
  });
  const { status } = stream.answer;
  const answer = await readText(stream.answer, maxAnswerBytes);
  if (status < 300 && !(kind === "feishu" && isFeishuRefusal(answer))) return undefined;
  return `it answered with status ${status}${quoteAnswer(answer, secret)}`;
}

/** Returns whether an answer of Feishu reports an error, because its HTTP status is always 200. */
function isFeishuRefusal(answer: string): boolean {
  const code = /"(?:code|StatusCode)"\s*:\s*(-?\d+)/.exec(answer)?.[1];
  return code !== undefined && code !== "0";
}

/** Returns the beginning of an answer for an error message, or "" if it contains a part of the secret. */
function quoteAnswer(answer: string, { url, secret = "" }: AlertTargetSecret): string {
  const text = inOneLine(answer, maxAnswerCharacters);
  const { pathname, search, searchParams } = new URL(url);
  const encoded = [...pathname.split("/").filter((part) => part.length > 5), ...search.slice(1).split(/[&=]/), secret];
  const hidden = [...encoded, ...encoded.map(decodePart), ...searchParams.values()].filter((part) => part !== "");
  const repeated = answer.toLowerCase();
  return text === "" || hidden.some((part) => repeated.includes(part.toLowerCase())) ? "" : `: ${text}`;
}

/** Decodes a part of a URL. Returns an invalid part unchanged. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Sends an alert by e-mail. Credentials are sent only over TLS. */
async function sendMail({ secret, alert, rules, timeoutMs, signal }: DeliveryAttempt): Promise<undefined> {
  const { url, from, to } = secret;
  const { protocol, hostname, port, username, password } = new URL(url);
  const address = await resolvePinnedAddress(new URL(`http://${hostname}/`), rules);
  const secure = protocol === "smtps:";
  const auth = username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  const transport = createTransport(
    withoutUndefined({
      host: address,
      port: port === "" ? (secure ? tlsPort : submissionPort) : Number(port),
      secure,
      requireTLS: auth !== undefined && !secure,
      auth,
      tls: { servername: hostname },
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  try {
    await transport.sendMail({ from, to, signal, ...alertMail(alert) });
  } finally {
    transport.close();
  }
}

/** Returns the reason of an error without addresses and secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof NotFetched) return error.message;
  if (!(error instanceof Error)) return "it cannot be reached";
  if (error.name === "AbortError" || error.name === "TimeoutError") return "it did not answer in time";
  const responseCode: unknown = Reflect.get(error, "responseCode");
  const code: unknown = Reflect.get(error, "code");
  const errorCode = [responseCode, code].find((each) => typeof each === "string" || typeof each === "number");
  return `it cannot be reached${errorCode === undefined ? "" : ` (${String(errorCode)})`}`;
}
