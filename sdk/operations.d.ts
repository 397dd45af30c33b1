/** Method, path, format of the body and fields that are files, by operationId. */
export const operations: Readonly<Record<string, string>>;
