import { join } from "node:path";
import { expect, test } from "vitest";
import { createTrust } from "../../src/engine/workspace/trust.ts";
import type { ServerName } from "../../src/model/names.ts";
import type { ServerIdentity, Trustee } from "../../src/model/server-identity.ts";
import { createTrustStore } from "../../src/trust/trust-store.ts";
import { temporaryFolder } from "../servers/servers.ts";

function trustee(name: string, command: string, isEnabled = true): Trustee {
  const identity: ServerIdentity = {
    kind: "stdio",
    command: [command],
    cwd: "",
    url: "",
    envFile: "",
    env: [],
    headers: [],
    variables: [],
    loaders: {},
    rename: undefined,
  };
  return { name: name as ServerName, identity, isEnabled };
}

/** A host's trust whose person gives these answers in turn, and the questions that were put. */
function trustOf(folder: string, answers: readonly boolean[]) {
  const questions: string[][] = [];
  const trust = createTrust({
    store: async () => createTrustStore(folder, { MCPFS_HOME: join(folder, "home") }),
    ask: async (servers) => {
      questions.push(servers.map(({ name }) => name));
      return answers[questions.length - 1] ?? false;
    },
  });
  return { trust, questions };
}

test("a server that was new while it was off is asked about when it is switched on", async () => {
  using folder = temporaryFolder();
  const { trust, questions } = trustOf(folder.path, [true, true]);
  await trust.ask([trustee("a", "a"), trustee("b", "old")]);
  expect(await trust.ask([trustee("a", "a"), trustee("b", "new", false)])).toBe(false);
  expect(await trust.ask([trustee("a", "a"), trustee("b", "new")])).toBe(true);
  expect(questions).toEqual([["a", "b"], ["b"]]);
  const listed = await trust.list([trustee("b", "new")]);
  expect(listed.map(({ isTrusted }) => isTrusted)).toEqual([true]);
});

test("a server that was refused is not asked about again, whatever else is switched; a changed one is", async () => {
  using folder = temporaryFolder();
  const { trust, questions } = trustOf(folder.path, [false, true, false]);
  const refused = trustee("a", "a");
  expect(await trust.ask([refused])).toBe(false);
  expect(await trust.ask([refused, trustee("b", "b")])).toBe(true);
  expect(await trust.ask([refused, trustee("b", "b", false)])).toBe(false);
  expect(await trust.ask([trustee("a", "other"), trustee("b", "b")])).toBe(false);
  expect(questions).toEqual([["a"], ["b"], ["a"]]);
});

test("whoever needs servers while the person is asked waits for that answer", async () => {
  using folder = temporaryFolder();
  const { trust, questions } = trustOf(folder.path, [true]);
  const answers = await Promise.all([trust.ask([trustee("a", "a")]), trust.ask([trustee("a", "a")])]);
  expect(answers).toEqual([true, true]);
  expect(questions).toHaveLength(1);
});
