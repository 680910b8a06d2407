import { parseFrame } from "../../sse/decode.ts";

/**
 * A piece without candidates: clients of this wire read nothing out of it. A comment would be lighter, but the SDKs that
 * coding agents are built with (Gemini CLI 0.61, google-genai for Python) take every line for data and end the stream.
 */
const emptyPiece = '{"candidates":[]}';

/** How pieces stand in the stream: as server-sent events, or as the elements of one JSON array. */
export interface Framing {
  readonly contentType: string;
  piece(json: string): string;
  /** A server-sent event of a vendor as a piece; "" for one without data. */
  reframe(frame: Buffer): string;
  end(): string;
  heartbeat(): string;
}

/** `alt=sse`: no event names, no last word; the stream ends with its connection. */
export function sseFraming(): Framing {
  const piece = (json: string): string => `data: ${json}\r\n\r\n`;
  return {
    contentType: "text/event-stream; charset=utf-8",
    piece,
    reframe: (frame) => reframed(frame, piece),
    end: () => "",
    heartbeat: () => piece(emptyPiece),
  };
}

/** Without `alt`: one array, closed at the end. White space between elements keeps a silent one alive. */
export function arrayFraming(): Framing {
  let began = false;
  const piece = (json: string): string => {
    const before = began ? ",\r\n" : "[";
    began = true;
    return before + json;
  };
  return {
    contentType: "application/json; charset=utf-8",
    piece,
    reframe: (frame) => reframed(frame, piece),
    end: () => (began ? "]" : "[]"),
    heartbeat: () => "\n",
  };
}

function reframed(frame: Buffer, piece: (json: string) => string): string {
  const data = parseFrame(frame.toString())?.data;
  return data === undefined ? "" : piece(data);
}
