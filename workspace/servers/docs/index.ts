export * from "./createDocument.js"; // Writes a new note and returns its id.
export * from "./getChannelHistory.js"; // Reads the latest messages of a team channel, oldest first.
export * from "./getDocument.js"; // Reads one document with its whole content.
export * from "./getSheet.js"; // Reads the rows of a sheet, all of them unless a limit is given.
export * from "./listDocuments.js"; // Lists all documents with title and size, without their content.
export * from "./listSheets.js"; // Lists all sheets with their columns and number of rows.
export * from "./postMessage.js"; // Posts a message to a team channel.
export * from "./searchDocuments.js"; // Finds the lines of all documents that contain a text, ignoring upper and lower case.
