/** What a page said where the way ended. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/**
 * Plays the browser of a person: follows redirects, keeps cookies, and sends off each form that it meets.
 * @param agrees false takes the way out that the page offers
 */
export async function browse(address: string, agrees = true): Promise<Page> {
  const cookies = new Map<string, string>();
  let url = address;
  let init: RequestInit = {};
  for (let step = 0; step < 30; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";", 1);
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get("location");
    const form = /<form[^>]* action="([^"]+)"[\s\S]*?name="prompt" value="(\w+)"/.exec(text);
    if (location !== null) [url, init] = [new URL(location, url).href, {}];
    else if (form !== null && !agrees)
      [url, init] = [new URL(/href="([^"]+\/abort)"/.exec(text)?.[1] ?? "", url).href, {}];
    else if (form === null) return { url, status: response.status, text };
    else {
      const [, action = "", prompt = ""] = form;
      const body = new URLSearchParams({ prompt, login: "somebody", password: "anything" });
      [url, init] = [new URL(action, url).href, { method: "POST", body }];
    }
  }
  throw new Error(`the browser goes round in circles at ${url}`);
}
