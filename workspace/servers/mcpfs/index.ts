export * from "./extract.js"; // Makes a value of a type of any text or data, by a small language model; the value is checked.
export * from "./listFiles.js"; // Lists what lies in a folder, sorted by name.
export * from "./log.js"; // Prints one line of console output.
export * from "./makeFolder.js"; // Makes a folder; recursive also makes those above it.
export * from "./readFile.js"; // Reads a whole file as text, or as base64 for bytes.
export * from "./removeFile.js"; // Removes a file, or with recursive a folder and all in it.
export * from "./renameFile.js"; // Gives a file or folder another path; a file at that path is replaced.
export * from "./searchTools.js"; // Finds tools of all servers by words, best first; several steps in one query get tools for each.
export * from "./sleep.js"; // Waits for some milliseconds.
export * from "./statFile.js"; // Says what a path is, its size and when it changed.
export * from "./writeFile.js"; // Replaces a file in one step, or appends to it; give either text or base64.
