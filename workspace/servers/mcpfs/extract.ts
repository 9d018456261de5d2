/** read: Makes a value of a type of any text or data, by a small language model; the value is checked. In a script: extract<Type>(text), or extract(text, jsonSchema). */
export const extract = <T = any>(value: unknown, schema?: object): Promise<T> => callMCPTool("mcpfs__extract", { value, schema })
