import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";

/** Ends a request with an error of the protocol. @throws ProtocolError always */
export function protocolError(thrown: unknown): never {
  if (thrown instanceof ProtocolError) throw thrown;
  const { code, message, clientHint: hint } = toMcpfsError(thrown);
  const rpcCode = code === "INTERNAL" ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  throw new ProtocolError(rpcCode, hint === "" ? message : `${message} ${hint}`, { code });
}

/** Ends a read with the error for a resource that is not there. @throws ProtocolError always */
export function missingResource(thrown: unknown, uri: string): never {
  const isMissing =
    thrown instanceof McpfsError &&
    (thrown.code === "FILE_FAILED" || thrown.code === "FILE_OUTSIDE_WORKSPACE");
  if (isMissing) throw new ResourceNotFoundError(uri, thrown.message);
  return protocolError(thrown);
}
