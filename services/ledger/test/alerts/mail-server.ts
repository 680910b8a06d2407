import { SMTPServer } from "smtp-server";
import { listen } from "@modelgate/testkit";

/** Mail that a server accepted. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
}

/** Mail server without TLS, which requires the format of RFC 5322. */
export interface MailServer extends AsyncDisposable {
  /** Address with the scheme `smtp:`. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  readonly signIns: number;
  /** Sets whether the server refuses all recipients (451). */
  refuse(isRefusing: boolean): void;
}

/** Starts a mail server. Recipients that begin with `unknown` do not exist. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let [signIns, refuses] = [0, false];
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disabledCommands: ["STARTTLS"],
    onAuth(_auth, _session, done) {
      signIns++;
      done(null, { user: "any" });
    },
    onRcptTo({ address }, _session, done) {
      if (refuses) done(Object.assign(new Error("try again later"), { responseCode: 451 }));
      else done(address.startsWith("unknown") ? new Error("no such user") : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        const text = Buffer.concat(chunks).toString("latin1");
        const mistake = mistakeIn(text, from);
        if (mistake !== undefined) return done(Object.assign(new Error(mistake), { responseCode: 554 }));
        mails.push({ from, to, text });
        done();
      });
    },
  });
  const url = (await listen(server.server)).replace("http:", "smtp:");
  return {
    url,
    mails,
    get signIns() {
      return signIns;
    },
    refuse(isRefusing) {
      refuses = isRefusing;
    },
    [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(resolve);
      return promise;
    },
  };
}

const neededHeaders = ["from", "to", "subject", "date", "message-id", "mime-version", "content-type"];

/** Returns the first violation of RFC 5322 in a mail. */
export function mistakeIn(mail: string, from: string): string | undefined {
  const end = mail.indexOf("\r\n\r\n");
  if (end < 0) return "no end of the headers";
  const head = mail.slice(0, end).replaceAll(/\r\n[ \t]+/g, " ");
  const names = head.split("\r\n").map((line) => /^([!-9;-~]+):/.exec(line)?.[1]?.toLowerCase() ?? "");
  if (names.includes("")) return "a line without a header";
  const wrong = neededHeaders.find((name) => names.filter((each) => each === name).length !== 1);
  if (wrong !== undefined) return `${wrong} is not there once`;
  if (/[^\t\r\n -~]/.test(head)) return "a header that is not ASCII";
  if (/(?<!\r)\n|\r(?!\n)/.test(mail)) return "a line that does not end with CRLF";
  if (mail.split("\r\n").some((line) => line.length > 998)) return "a line of more than 998 characters";
  return new RegExp(String.raw`^from: .*${from.replaceAll(".", String.raw`\.`)}`, "im").test(head)
    ? undefined
    : "another sender than in the envelope";
}
