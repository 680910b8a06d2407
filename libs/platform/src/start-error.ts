/** Reason why a start fails, as a message for people. Exit code 78 (EX_CONFIG) means a wrong configuration. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly exitCode: number;
  constructor(message: string, exitCode = 78) {
    super(message);
    this.exitCode = exitCode;
  }
}
