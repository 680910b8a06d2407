/** One thing wrong with a configuration, at a path such as `channels[0].models.gpt-x`. */
export interface ConfigurationProblem {
  readonly path: string;
  readonly message: string;
}
