/** A page whose sample is a whole program of a language that is compiled. */
export interface CompiledSample {
  /** Its page in docs/clients, without the ending. */
  readonly page: string;
  readonly language: string;
  /** The project's files, by their path in its folder, with the page's program in it. */
  files(program: string): Readonly<Record<string, string>>;
  /** What is run in its folder, one after another; the last is the program. */
  readonly commands: readonly (readonly [command: string, ...args: string[]])[];
}

const goModule = "github.com/openai/openai-go/v3@v3.96.0";
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sample</groupId>
  <artifactId>sample</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>com.openai</groupId>
      <artifactId>openai-java</artifactId>
      <version>4.101.0</version>
    </dependency>
  </dependencies>
</project>
`;

/** The samples in Go and Java; their packages come through `go` and `mvn`, which keep them. */
export const compiledSamples: readonly CompiledSample[] = [
  {
    page: "openai-go",
    language: "go",
    files: (program) => ({ "main.go": program, "go.mod": "module sample\n\ngo 1.24\n" }),
    commands: [
      ["go", "get", goModule],
      ["go", "run", "."],
    ],
  },
  {
    page: "openai-java",
    language: "java",
    files: (program) => ({ "src/main/java/Sample.java": program, "pom.xml": pom }),
    commands: [
      ["mvn", "-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath"],
      ["sh", "-c", 'java -cp "target/classes:$(cat classpath)" Sample'],
    ],
  },
];
