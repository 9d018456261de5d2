/**
 * Plain BM25 (Okapi, k1 1.2, b 0.75) over one text a tool: server, name, title, description, names and descriptions of parameters. Words in
 * small letters, cut at case and signs; English common words left out; no stems, weights or synonyms.
 */
export function plainBm25(tools) {
  const documents = tools.map((tool) => countsOf(textOf(tool)));
  const lengths = documents.map((counts) => [...counts.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const spread = new Map();
  for (const counts of documents)
    for (const word of counts.keys()) spread.set(word, (spread.get(word) ?? 0) + 1);
  return (query, limit) => {
    const words = wordsOf(query);
    const scores = documents.map((counts, at) => {
      let score = 0;
      for (const word of words) {
        const count = counts.get(word);
        if (count === undefined) continue;
        const rarity = Math.log(1 + (documents.length - spread.get(word) + 0.5) / (spread.get(word) + 0.5));
        score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * lengths[at]) / mean));
      }
      return { at, score };
    });
    return scores
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.at - b.at)
      .slice(0, limit)
      .map(({ at }) => tools[at]);
  };
}

function textOf({ server, name, title, description, inputSchema }) {
  const parameters = Object.entries(inputSchema?.properties ?? {}).map(
    ([key, schema]) => `${key} ${typeof schema?.description === "string" ? schema.description : ""}`,
  );
  return [server, name, title, description, ...parameters].join(" ");
}

function wordsOf(text) {
  return (
    text
      .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => !COMMON.has(word));
}

function countsOf(text) {
  const counts = new Map();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const COMMON = new Set(
  (
    "a an and are as at be by can could for from has have how i if in into is it its me my no not of on or our please " +
    "should so some such that the their them then there these they this to us was we what when where which who will " +
    "with would you your"
  ).split(" "),
);
