/** A file that a simulated vendor was sent. */
export interface SeenFile {
  readonly name: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A request that a simulated vendor saw. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sha256: string;
  readonly bytes: number;
  readonly body: string;
  /** Of a form: its text fields and its files. */
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly files?: readonly SeenFile[];
  readonly aborted?: boolean;
  /** Of a WebSocket: what was said on it, binary in Base64; what was sent on it; how it was closed. */
  readonly messages?: readonly string[];
  readonly sentBytes?: number;
  readonly closeCode?: number;
}

/** The simulator under a test's hand: instances are vendors with a script and a memory of their own. */
export interface SimulatorClient {
  readonly url: string;
  /** How the instance answers its next requests, a step each. */
  script(instance: string, steps: readonly object[]): Promise<void>;
  requests(instance: string): Promise<readonly SeenRequest[]>;
  forget(instance: string): Promise<void>;
}

export function simulatorAt(url: string): SimulatorClient {
  return {
    url,
    async script(instance, steps) {
      const response = await fetch(`${url}/_script/${instance}`, { method: "PUT", body: JSON.stringify(steps) });
      if (!response.ok) throw new Error(await response.text());
    },
    async requests(instance) {
      const seen: SeenRequest[] = JSON.parse(await (await fetch(`${url}/_requests/${instance}`)).text());
      return seen;
    },
    async forget(instance) {
      await fetch(`${url}/_requests/${instance}`, { method: "DELETE" });
    },
  };
}
