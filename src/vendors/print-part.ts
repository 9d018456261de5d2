import type { JsonObject } from "../kernel/json.ts";
import type { Part } from "./content-parts.ts";
import type { Vendor } from "./vendor.ts";

/** Whose words they are: a model's own turns take text only. */
export type Role = "user" | "assistant";

/** A part in a vendor's shape; a kind that the vendor does not take becomes a line of text, and `lost` says so. */
export interface PrintedPart {
  readonly value: JsonObject;
  readonly lost: string | undefined;
}

/** Prints a part for a message of this role. */
export function printPart(part: Part, vendor: Vendor, role: Role): PrintedPart {
  const print = PRINTERS[vendor];
  if (part.kind === "text") return { value: print.text(part.text, role), lost: undefined };
  const whole = role === "assistant" ? undefined : print.attachment(part);
  if (whole !== undefined) return { value: whole, lost: undefined };
  if (part.kind === "document")
    return { value: print.text(`${part.name}:\n${part.text}`, role), lost: undefined };
  const { name, mimeType, data } = part;
  const bytes = Math.floor((data.length * 3) / 4);
  const where = role === "assistant" ? "in a model's own turn" : "";
  return {
    value: print.text(`[${name}: ${mimeType}, ${bytes} bytes, not shown]`, role),
    lost: `${name}: ${mimeType} cannot be given ${where}`.trimEnd(),
  };
}

interface Printer {
  readonly text: (text: string, role: Role) => JsonObject;
  /** A document or media in a shape of its own; `undefined` where the vendor has none for it. */
  readonly attachment: (part: Exclude<Part, { kind: "text" }>) => JsonObject | undefined;
}

const PRINTERS: Readonly<Record<Vendor, Printer>> = {
  anthropic: {
    text: (text) => ({ type: "text", text }),
    attachment: (part) => {
      if (part.kind === "document")
        return {
          type: "document",
          source: { type: "text", media_type: "text/plain", data: part.text },
          title: part.name,
        };
      const source = { type: "base64", media_type: part.mimeType, data: part.data };
      if (IMAGES.has(part.mimeType)) return { type: "image", source };
      return part.mimeType === PDF ? { type: "document", source, title: part.name } : undefined;
    },
  },
  openai: {
    text: (text, role) => ({ type: role === "user" ? "input_text" : "output_text", text }),
    attachment: (part) => {
      if (part.kind === "document") return undefined;
      const url = `data:${part.mimeType};base64,${part.data}`;
      if (IMAGES.has(part.mimeType)) return { type: "input_image", image_url: url, detail: "auto" };
      return part.mimeType === PDF
        ? { type: "input_file", filename: fileName(part.name), file_data: url }
        : undefined;
    },
  },
  gemini: {
    text: (text) => ({ text }),
    attachment: (part) =>
      part.kind === "media" && GEMINI_MEDIA.test(part.mimeType)
        ? { inlineData: { mimeType: part.mimeType, data: part.data } }
        : undefined,
  },
};

const PDF = "application/pdf";
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const GEMINI_MEDIA =
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/(?:wav|mp3|mpeg|aiff|aac|ogg|flac)|video\/(?:mp4|mpeg|mov|quicktime|avi|webm)|application\/pdf)$/;

function fileName(uri: string): string {
  return uri.split("/").at(-1) || "resource.pdf";
}
