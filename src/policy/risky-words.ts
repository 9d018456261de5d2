/**
 * Words in the name of a tool that call for a person where its server gives no hint: what they name destroys, spends, publishes,
 * gives away, or runs something. `docs/policy.md` shows this table. Words such as `create` and `update` are not in it: they
 * are ordinary work, and whoever is asked for all of it answers without reading. Nor are words that name things as often as deeds
 * (`order`, `email`, `format`).
 */
export const RISKY_WORDS = {
  destroys:
    "archive clear delete destroy drop erase kill overwrite prune purge remove reset revert rm rollback shred terminate trash truncate uninstall unlink unpublish wipe",
  spends: "buy charge pay payout purchase refund sell trade transfer withdraw",
  publishes: "broadcast deploy invite merge notify post publish push reply send share submit tweet",
  "gives away": "authorize ban disable grant impersonate revoke rotate",
  runs: "bash eval exec execute inject install powershell reboot restart run shell shutdown spawn stop sudo",
} as const;

/** From this length on a word counts inside a longer one too: `bulkdelete`, `executed`. Shorter ones would find `payload` and `tend`. */
const MIN_INNER_LENGTH = 6;

const WORDS: readonly string[] = Object.values(RISKY_WORDS).flatMap((words) => words.split(" "));

/** The words of {@link RISKY_WORDS} that a raw name holds, in the order of the name: `crm-deleteLead` → `delete`. */
export function riskyWordsIn(name: string): readonly string[] {
  return wordsOf(name).flatMap(
    (word) =>
      WORDS.find((risky) => risky === word || (risky.length >= MIN_INNER_LENGTH && word.includes(risky))) ??
      [],
  );
}

/** `deleteHTMLPage2` → delete, html, page: humps, digits and signs part words. */
function wordsOf(name: string): readonly string[] {
  return name
    .normalize("NFKC")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}
