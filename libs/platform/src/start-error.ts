/** A start that cannot go on, said in words for a person; `exitCode` 78 is a wrong configuration (sysexits). */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly exitCode: number;
  constructor(message: string, exitCode = 78) {
    super(message);
    this.exitCode = exitCode;
  }
}
