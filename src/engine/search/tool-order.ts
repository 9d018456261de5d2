import { join } from "node:path";
import { withFileLock } from "../../kernel/file-lock.ts";
import { readIfExists, writeAtomic } from "../../kernel/fsx.ts";

/**
 * The order in which tools are offered to a model: that in which this workspace first offered them, new ones at the end. A tool that
 * sorted into the middle would make a vendor's prompt cache useless from there on. Kept in `.mcpfs/order.json`; a tool that comes back
 * takes its old place.
 * @param wires names of the tools that there are now, in the catalog's order
 * @returns the same names
 */
export async function stableOrder(root: string, wires: readonly string[]): Promise<readonly string[]> {
  const path = join(root, ".mcpfs", "order.json");
  const merge = async (): Promise<readonly string[]> => {
    const before = readOrder(await readIfExists(path));
    const known = new Set(before);
    const added = wires.filter((wire) => !known.has(wire));
    if (added.length === 0) return before;
    const order = [...before, ...added];
    await writeAtomic(path, `${JSON.stringify(order)}\n`);
    return order;
  };
  const now = new Set(wires);
  const order = await withFileLock(join(root, ".mcpfs", "order.lock"), merge).catch(() => wires);
  return order.filter((wire) => now.has(wire));
}

function readOrder(text: string | undefined): readonly string[] {
  try {
    const order: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(order) ? order.filter((wire) => typeof wire === "string") : [];
  } catch {
    return [];
  }
}
