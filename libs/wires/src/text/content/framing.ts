import { parseFrame } from "../../sse/decode.ts";
import type { ClientFraming } from "../client-framing.ts";

/**
 * A piece without candidates: clients of this wire read nothing out of it. A comment would be lighter, but the SDKs that
 * coding agents are built with (Gemini CLI 0.61, google-genai for Python) take every line for data and end the stream.
 */
const emptyPiece = '{"candidates":[]}';

/** `alt=sse`: no event names, no last word; the stream ends with its connection. */
export function sseFraming(): ClientFraming {
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
export function arrayFraming(): ClientFraming {
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
