/** How pieces stand in the stream: as server-sent events, or as the elements of one JSON array. */
export interface Framing {
  piece(json: string): string;
  end(): string;
  heartbeat(): string;
}

/** `alt=sse`: no event names, no last word; the stream ends with its connection. */
export function sseFraming(): Framing {
  return {
    piece: (json) => `data: ${json}\r\n\r\n`,
    end: () => "",
    heartbeat: () => ": keep-alive\r\n\r\n",
  };
}

/** Without `alt`: one array, closed at the end. White space between elements keeps a silent one alive. */
export function arrayFraming(): Framing {
  let began = false;
  const open = (): string => {
    const text = began ? ",\r\n" : "[";
    began = true;
    return text;
  };
  return {
    piece: (json) => open() + json,
    end: () => (began ? "]" : "[]"),
    heartbeat: () => "\n",
  };
}
