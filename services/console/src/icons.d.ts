/** Declares one module per icon: importing the package's index would make every build read some six thousand icons. */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ComponentType } from "react";
  const icon: ComponentType<{ size: number }>;
  export default icon;
}
