import { visibleText } from "../kernel/text.ts";

/**
 * A page of HTML that needs nothing else: no script, no picture, nothing from elsewhere, which its policy also forbids.
 * @param page.title plain text
 * @param page.style CSS of ours
 * @param page.body HTML in which every text of others went through {@link htmlText}
 */
export function htmlPage(page: {
  readonly title: string;
  readonly style: string;
  readonly body: string;
}): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${htmlText(page.title)}</title>
<style>${page.style}</style>
${page.body}
</html>
`;
}

/** Text as it may stand in an element or a quoted attribute, visible. */
export function htmlText(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
