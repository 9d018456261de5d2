import { expect, test } from "vitest";
import { stableOrder } from "../../src/engine/search/tool-order.ts";
import { temporaryFolder } from "../servers/servers.ts";

// M12
test("tools keep their place for good: new ones go to the end, and one that comes back takes its old place", async () => {
  using folder = temporaryFolder();
  const order = (...wires: string[]): Promise<readonly string[]> => stableOrder(folder.path, wires);
  expect(await order("b", "d")).toEqual(["b", "d"]);
  expect(await order("a", "b", "c", "d")).toEqual(["b", "d", "a", "c"]);
  expect(await order("a", "c", "d")).toEqual(["d", "a", "c"]);
  expect(await order("a", "b", "c", "d", "e")).toEqual(["b", "d", "a", "c", "e"]);
});

test("two at once agree on the order", async () => {
  using folder = temporaryFolder();
  const [one, two] = await Promise.all([
    stableOrder(folder.path, ["a", "b"]),
    stableOrder(folder.path, ["c", "a", "b"]),
  ]);
  const whole = await stableOrder(folder.path, ["a", "b", "c"]);
  for (const part of [one, two]) expect(whole.filter((wire) => part.includes(wire))).toEqual(part);
});
