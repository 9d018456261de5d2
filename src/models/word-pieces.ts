/** The pieces of a text, as numbers of the vocabulary; what it does not know is left out. */
export type WordPieces = (text: string) => readonly number[];

/** Longer words are addresses and keys. */
const MAX_WORD = 100;

/**
 * Cuts texts as BERT's uncased WordPiece does: small letters without accents, words and signs apart, then the longest known beginning, again
 * and again; `##` marks what goes on.
 */
export function createWordPieces(vocabulary: ReadonlyMap<string, number>): WordPieces {
  return (text) => {
    const plain = text
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
    return [...plain.matchAll(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)].flatMap(([word]) =>
      piecesOf(word, vocabulary),
    );
  };
}

function piecesOf(word: string, vocabulary: ReadonlyMap<string, number>): readonly number[] {
  if (word.length > MAX_WORD) return [];
  const pieces: number[] = [];
  let start = 0;
  while (start < word.length) {
    let end = word.length;
    let piece: number | undefined;
    while (end > start && piece === undefined) {
      piece = vocabulary.get((start > 0 ? "##" : "") + word.slice(start, end));
      if (piece === undefined) end -= 1;
    }
    // A word with an unknown part is unknown as a whole.
    if (piece === undefined) return [];
    pieces.push(piece);
    start = end;
  }
  return pieces;
}
