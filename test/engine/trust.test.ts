import { join } from "node:path";
import { expect, test } from "vitest";
import { createTrust, type Entrusted, trustDigest } from "../../src/engine/workspace/trust.ts";
import type { ServerName } from "../../src/model/names.ts";
import type { ServerIdentity, Trustee } from "../../src/model/server-identity.ts";
import { DEFAULT_POLICY } from "../../src/policy/policy.ts";
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

function entrusting(...servers: readonly Trustee[]): Entrusted {
  return { servers, models: [], policy: DEFAULT_POLICY };
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
  await trust.ask(entrusting(trustee("a", "a"), trustee("b", "old")));
  expect(await trust.ask(entrusting(trustee("a", "a"), trustee("b", "new", false)))).toBe(false);
  expect(await trust.ask(entrusting(trustee("a", "a"), trustee("b", "new")))).toBe(true);
  expect(questions).toEqual([["a", "b"], ["b"]]);
  const listed = await trust.list(entrusting(trustee("b", "new")));
  expect(listed.map(({ isTrusted }) => isTrusted)).toEqual([true]);
});

test("a server that was refused is not asked about again, whatever else is switched; a changed one is", async () => {
  using folder = temporaryFolder();
  const { trust, questions } = trustOf(folder.path, [false, true, false]);
  const refused = trustee("a", "a");
  expect(await trust.ask(entrusting(refused))).toBe(false);
  expect(await trust.ask(entrusting(refused, trustee("b", "b")))).toBe(true);
  expect(await trust.ask(entrusting(refused, trustee("b", "b", false)))).toBe(false);
  expect(await trust.ask(entrusting(trustee("a", "other"), trustee("b", "b")))).toBe(false);
  expect(questions).toEqual([["a"], ["b"], ["a"]]);
});

test("whoever needs servers while the person is asked waits for that answer", async () => {
  using folder = temporaryFolder();
  const { trust, questions } = trustOf(folder.path, [true]);
  const answers = await Promise.all([
    trust.ask(entrusting(trustee("a", "a"))),
    trust.ask(entrusting(trustee("a", "a"))),
  ]);
  expect(answers).toEqual([true, true]);
  expect(questions).toHaveLength(1);
});

test("a digest that is given stands for a whole config: what it starts, and what its policy lets out", async () => {
  using folder = temporaryFolder();
  const given = entrusting(trustee("a", "a"));
  const trust = createTrust({
    store: async () => createTrustStore(folder.path, { MCPFS_HOME: join(folder.path, "home") }),
    digest: trustDigest(given),
  });
  const isTrusted = async (config: Entrusted): Promise<boolean | undefined> =>
    (await trust.list(config))[0]?.isTrusted;
  expect(await isTrusted(given)).toBe(true);
  expect(await isTrusted(entrusting(trustee("a", "other")))).toBe(false);
  expect(await isTrusted({ ...given, policy: { preset: "open", rules: [] } })).toBe(false);
});
