import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../../src/engine/host.ts";
import { type OpenOptions, openWorkspace } from "../../src/engine/open-workspace.ts";
import type { ServerName } from "../../src/model/names.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";

export interface SearchWorkspace extends AsyncDisposable {
  readonly root: string;
  readonly host: Host;
  readonly options: OpenOptions;
  /** Number of tools, the built-in ones among them. */
  readonly toolCount: number;
}

const inputSchema = { type: "object" };
const SERVERS = {
  bank: scripted({
    tools: [
      { name: "settle_invoice", description: "Pays what is owed, in money.", inputSchema },
      { name: "get_rate", description: "Rate of exchange of money.", inputSchema },
      { name: "feed", description: "Feeds a zebra.", inputSchema },
      { name: "retire", description: "Takes the animal tool away.", inputSchema },
    ],
    answers: { retire: { removeTool: "feed", text: "gone" } },
  }),
  sky: scripted({
    tools: [{ name: "outlook", description: "Tells the weather: whether to take an umbrella.", inputSchema }],
  }),
  radio: scripted({ tools: [{ name: "play", description: "Plays music.", inputSchema }] }),
};

/** A synced workspace with three small servers, and these keys in its config; the servers are approved, models are not. */
export async function makeWorkspace(
  config: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string>> = {},
): Promise<SearchWorkspace> {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "mcpfs.json"), JSON.stringify({ mcpServers: SERVERS, ...config }));
  const options = { env: { ...process.env, MCPFS_HOME: join(folder.path, "home"), ...env } };
  const host = await openWorkspace(folder.path, options);
  await host.trust(Object.keys(SERVERS) as ServerName[]);
  await host.sync();
  const { servers } = await host.catalog();
  return {
    root: folder.path,
    host,
    options,
    toolCount: servers.reduce((sum, { tools }) => sum + tools.length, 0),
    [Symbol.asyncDispose]: async () => {
      await host.close();
      folder[Symbol.dispose]();
    },
  };
}
