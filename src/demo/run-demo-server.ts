import { serveTools } from "./serve-tools.ts";

/**
 * Serves one of the two demo servers as a real MCP server over stdio, until stdin ends. Their data is the same in
 * every process; what is written lives in memory and ends with it.
 */
export async function runDemoServer(name: "docs" | "crm"): Promise<void> {
  switch (name) {
    case "docs": {
      const { createDocsTools } = await import("./docs-tools.ts");
      return await serveTools({
        name: "mcpfs-demo-docs",
        instructions: "Documents, a sheet of 10,000 orders and team channels of an invented company.",
        tools: createDocsTools(),
      });
    }
    case "crm": {
      const { createCrmTools } = await import("./crm-tools.ts");
      return await serveTools({
        name: "mcpfs-demo-crm",
        instructions: "Leads, accounts and sales meetings of an invented company.",
        tools: createCrmTools(),
      });
    }
  }
}
