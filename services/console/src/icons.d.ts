/** Declares one module per icon, because the package's index would make every build read thousands of icons. */
declare module "@tabler/icons-react/dist/esm/icons/*.mjs" {
  import type { ComponentType } from "react";
  const icon: ComponentType<{ size: number }>;
  export default icon;
}
