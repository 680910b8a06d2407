import { createTransport } from "nodemailer";
import {
  hostsIn,
  NotFetched,
  openRemoteStreams,
  pinnedAddress,
  readText,
  remoteRules,
  type RemoteStreams,
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
  /** Sends an alert once. Returns the reason for a failure, without secrets; undefined if the target accepted it. */
  send(target: EncryptedTarget, alert: Alert, signal: AbortSignal): Promise<string | undefined>;
}

/** Options of the sender. */
export interface SenderOptions {
  readonly secrets: Secrets;
  /** Hosts of the operator's network that may be reached although their addresses are private. */
  readonly privateHosts: string;
  /** Maximum ms to wait for a target's answer. */
  readonly timeoutMs: number;
}

/** Maximum bytes that are read of an answer, and maximum characters of it in the reason for a failure. */
const [maxAnswerBytes, maxAnswerCharacters] = [4_096, 120];
/** Ports of SMTP with STARTTLS and with TLS from the start. */
const [submissionPort, tlsPort] = [587, 465];

const readSecret = recordParser("secret part of an alert target", AlertTargetSecret);

/** Opens a sender. It cannot reach private networks, except for the hosts that the operator allows. */
export function openAlertSender({ secrets, privateHosts, timeoutMs }: SenderOptions): AlertSender {
  const cipher = makeCipher(secrets, alertTargetPurpose);
  const hosts = hostsIn(privateHosts);
  const remote = openRemoteStreams({ privateHosts: hosts });
  return {
    async send({ target: { id, kind }, sealed }, alert, signal) {
      let secret: AlertTargetSecret;
      try {
        secret = readSecret(cipher.decrypt(sealed, id));
      } catch {
        return "its address cannot be decrypted: it was encrypted with another MODELGATE_SECRET";
      }
      try {
        if (kind === "email") return await sendMail(secret, alert, { hosts, timeoutMs });
        return await post(remote, { kind, secret, alert, timeoutMs, signal });
      } catch (error) {
        return reasonOf(error);
      }
    },
  };
}

interface PostedAlert {
  readonly kind: Exclude<AlertTargetKind, "email">;
  readonly secret: AlertTargetSecret;
  readonly alert: Alert;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function post(
  remote: RemoteStreams,
  { kind, secret, alert, timeoutMs, signal }: PostedAlert,
): Promise<string | undefined> {
  const { body, headers } = alertRequest(kind, alert, secret, Date.now());
  await using stream = await remote.open({
    url: secret.url,
    body: Buffer.from(body),
    headers,
    proxy: undefined,
    timeoutMs,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const { status } = stream.answer;
  const answer = await readText(stream.answer, maxAnswerBytes);
  if (status < 300 && !(kind === "feishu" && isFeishuRefusal(answer))) return undefined;
  return `it answered with status ${status}${quoted(answer, secret)}`;
}

/** Returns whether an answer of Feishu, whose status is 200 even then, is an error. */
function isFeishuRefusal(answer: string): boolean {
  const code = /"(?:code|StatusCode)"\s*:\s*(-?\d+)/.exec(answer)?.[1];
  return code !== undefined && code !== "0";
}

/** Returns the beginning of an answer for the reason of a failure; "" if it repeats a part of the secret. */
function quoted(answer: string, { url, secret }: AlertTargetSecret): string {
  const text = inOneLine(answer, maxAnswerCharacters);
  const { pathname, search } = new URL(url);
  const hidden = [...pathname.split("/"), search.slice(1), secret ?? ""].filter((part) => part.length > 5);
  return text === "" || hidden.some((part) => answer.includes(part)) ? "" : `: ${text}`;
}

/** Limits of a connection to an SMTP server. */
interface MailLimits {
  readonly hosts: ReadonlySet<string>;
  readonly timeoutMs: number;
}

/** Sends an alert by e-mail. A user name and password are sent only over TLS. */
async function sendMail(
  { url, from, to }: AlertTargetSecret,
  alert: Alert,
  { hosts, timeoutMs }: MailLimits,
): Promise<undefined> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const address = await pinnedAddress(new URL(`http://${hostname}/`), { ...remoteRules, privateHosts: hosts });
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
    await transport.sendMail({ from, to, ...alertMail(alert) });
  } finally {
    transport.close();
  }
}

/** Returns the reason of an error without addresses and secrets, which its message may contain. */
function reasonOf(error: unknown): string {
  if (error instanceof NotFetched) return error.message;
  if (!(error instanceof Error)) return "it cannot be reached";
  if (error.name === "AbortError" || error.name === "TimeoutError") return "it did not answer in time";
  const responseCode: unknown = Reflect.get(error, "responseCode");
  const code: unknown = Reflect.get(error, "code");
  const known = [responseCode, code].find((each) => typeof each === "string" || typeof each === "number");
  return `it cannot be reached${known === undefined ? "" : ` (${String(known)})`}`;
}
